// SPDX-License-Identifier: Apache-2.0
import { render } from 'preact';

render(<h1>Cairn</h1>, document.getElementById('app')!);
