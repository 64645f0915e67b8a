// SPDX-License-Identifier: Apache-2.0
// Which form of a name fits into so many pixels. Widths come from a table of single characters, measured
// once per font; the shorter forms of a name are made once per name, when it is first drawn.

import { drawable, ELLIPSIS, shorterForms } from '../model/name_shorten.ts';

/** Measures one character in the font in use. */
export type MeasureChar = (char: string) => number;

/* A label longer than any screen is not measured to its end. */
const MEASURED_CHARS_MAX = 1024;

/* Fewer letters of a name are noise. */
const CUT_CHARS_MIN = 3;

export class CharWidths {
	private readonly ascii = new Float32Array(128);
	private readonly others = new Map<string, number>();

	constructor(private readonly measure: MeasureChar) {
		for (let code = 0; code < 128; code++)
			this.ascii[code] = measure(String.fromCharCode(code));
	}

	private ofChar(char: string): number {
		let width = this.others.get(char);
		if (width === undefined) {
			width = this.measure(char);
			this.others.set(char, width);
		}
		return width;
	}

	of(text: string): number {
		if (text.length > MEASURED_CHARS_MAX)
			return Infinity;
		let width = 0;
		for (const char of text) {
			const code = char.charCodeAt(0);
			width += code < 128 ? this.ascii[code] : this.ofChar(char);
		}
		return width;
	}

	/** The longest beginning of TEXT that fits into PIXELS together with an ellipsis; '' if it says nothing. */
	cut(text: string, pixels: number): string {
		let room = pixels - this.of(ELLIPSIS);
		let end = 0;
		for (const char of text) {
			const code = char.charCodeAt(0);
			room -= code < 128 ? this.ascii[code] : this.ofChar(char);
			if (room < 0)
				break;
			end += char.length;
		}
		return end >= CUT_CHARS_MIN ? text.slice(0, end) + ELLIPSIS : '';
	}
}

interface Forms {
	texts: string[];
	widths: number[];
}

export class Labels {
	private forms: (Forms | undefined)[] = [];

	constructor(private readonly widths: CharWidths, private readonly names: readonly string[]) {}

	private formsOf(nameId: number): Forms {
		let found = this.forms[nameId];
		if (!found) {
			const texts = shorterForms(drawable(this.names[nameId]));
			found = { texts, widths: texts.map((text) => this.widths.of(text)) };
			this.forms[nameId] = found;
		}
		return found;
	}

	/** The longest form of the name that fits into PIXELS; its last form cut if none does. */
	fit(nameId: number, pixels: number): string {
		const { texts, widths } = this.formsOf(nameId);
		for (let i = 0; i < texts.length; i++) {
			if (widths[i] <= pixels)
				return texts[i];
		}
		return this.widths.cut(texts[texts.length - 1], pixels);
	}

	widthOf(text: string): number {
		return this.widths.of(text);
	}

	/** The same for a text that is no name. */
	fitText(text: string, pixels: number): string {
		return this.widths.of(text) <= pixels ? text : this.widths.cut(text, pixels);
	}
}
