// SPDX-License-Identifier: Apache-2.0
import { render } from 'preact';
import { App } from './view/app.tsx';

performance.mark('start');
render(<App />, document.getElementById('app')!);
performance.mark('shell');
