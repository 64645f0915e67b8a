// SPDX-License-Identifier: Apache-2.0
// Canned answers for comparisons, values over time and the heat map.

import { columnsOf, kind } from './encode.mjs';
import { busyHost, PERIOD_NS, seeded } from './trees.mjs';

/* What the right side does otherwise: by function, how many times as much own time. `brandNew` is on the right
 * alone, `retired` on the left alone. */
const factors = new Map([['longest_match', 2.5], ['PyType_GenericAlloc', 0.5], ['fill_window', 1.02]]);
const RETIRED = 'dict_merge';
const NEW_BELOW = 'ReportView.get';

function own(node) {
	return node.value - node.children.reduce((sum, child) => sum + child.value, 0);
}

/* NODE with both sides' values instead of one: {..., left, right, children}. */
function twoSided(node) {
	const children = node.children.map(twoSided);
	if (node.name === NEW_BELOW)
		children.push({ name: 'brand_new', module: 'reports/views.py', kind: kind.python, left: 0, right: 900 * PERIOD_NS, children: [] });
	const self = own(node);
	const factor = node.name === RETIRED ? 0 : factors.get(node.name) ?? 1;
	const sum = (side, ownValue) => ownValue + children.reduce((all, child) => all + child[side], 0);
	const all = { ...node, left: sum('left', self), right: Math.round(sum('right', self * factor)), children };
	return node.name === RETIRED ? { ...all, right: 0, children: children.map(goneFrom) } : all;
}

function goneFrom(node) {
	return { ...node, right: 0, children: node.children.map(goneFrom) };
}

/* As if counting samples were the only error. */
function chance(left, right, sides) {
	const [l, r] = [left / sides.left, right / sides.right];
	if (sides.left === 0 || sides.right === 0)
		return 1;
	const error = Math.sqrt((Math.max(left, PERIOD_NS) * PERIOD_NS) / sides.left ** 2 + (Math.max(right, PERIOD_NS) * PERIOD_NS) / sides.right ** 2);
	const z = Math.abs(r - l) / error;
	return z > 2.6 ? 0.001 : z > 2 ? 0.03 : 0.6;
}

function emptied(node, side) {
	return { ...node, [side]: 0, children: node.children.map((child) => emptied(child, side)) };
}

function tree(state) {
	let root = twoSided(busyHost({ samples: state.fewSamples ? 60 : 84000 }));
	for (const side of ['left', 'right']) {
		if (state.emptySide === side || state.emptySide === 'both')
			root = emptied(root, side);
	}
	return root;
}

function sideOf(total, fromMs, untilMs, groups) {
	return {
		total, sample_count: Math.round(total / PERIOD_NS), period: PERIOD_NS, from: fromMs * 1e6, until: untilMs * 1e6,
		core_ns: Math.round((untilMs - fromMs) * 1e6 * 8), groups,
	};
}

function about(state, root, times) {
	const groups = state.short ? 1 : 8;
	return {
		unit: 'nanoseconds', partial_symbols: false,
		left: { ...sideOf(root.left, times.leftFrom, times.leftUntil, groups), partial: state.partial ?? null },
		right: { ...sideOf(root.right, times.rightFrom, times.rightUntil, groups), partial: null },
	};
}

function diffTree(state, root, times) {
	const weighed = (node) => ({ ...node, value: node.left + node.right, children: node.children.map(weighed) });
	const columns = columnsOf(weighed(root));
	const left = [];
	const right = [];
	for (let level = [weighed(root)]; level.length > 0;) {
		const next = [];
		for (const node of level) {
			left.push(node.left);
			right.push(node.right);
			next.push(...node.children.slice().sort((a, b) => b.value - a.value));
		}
		level = next;
	}
	return {
		version: 1, ...about(state, root, times), trimmed: false,
		names: columns.names, name_module: columns.nameModule, name_kind: columns.nameKind, modules: columns.modules,
		name_file: columns.nameFile, name_line: columns.names.map(() => 0), files: columns.files,
		child_count: columns.childCount, name: columns.name, trimmed_nodes: [], inlined: columns.inlined,
		left_totals: left, right_totals: right, p: left.map((value, i) => (i === 0 ? 1 : chance(value, right[i], root))),
	};
}

function diffFunctions(state, root, times) {
	const rows = new Map();
	const visit = (node, open) => {
		const key = `${node.name}\0${node.module}`;
		if (node.kind !== kind.root) {
			const row = rows.get(key) ?? { name: node.name, module: node.module, kind: 'native', left_self: 0, right_self: 0, left_total: 0, right_total: 0 };
			row.left_self += node.left - node.children.reduce((sum, child) => sum + child.left, 0);
			row.right_self += node.right - node.children.reduce((sum, child) => sum + child.right, 0);
			if (!open.has(key)) {
				row.left_total += node.left;
				row.right_total += node.right;
			}
			rows.set(key, row);
		}
		const below = new Set(open).add(key);
		for (const child of node.children)
			visit(child, below);
	};
	visit(root, new Set());
	const functions = [...rows.values()].map((row) => ({
		...row, self_p: chance(row.left_self, row.right_self, root), p: chance(row.left_total, row.right_total, root),
		left_share: row.left_total / root.left, right_share: row.right_total / root.right, share_error: 0,
	}));
	functions.sort((a, b) => Math.abs(b.right_share - b.left_share) - Math.abs(a.right_share - a.left_share));
	return { ...about(state, root, times), function_count: functions.length, functions };
}

export function diffAnswer(state, params, timeOf, nowMs) {
	const at = (name, otherwise) => timeOf(params.get(name) ?? otherwise, nowMs);
	const times = {
		leftFrom: at('left_from', 'now-2h'), leftUntil: at('left_until', 'now-1h'),
		rightFrom: at('right_from', 'now-1h'), rightUntil: at('right_until', 'now'),
	};
	const root = tree(state);
	return params.get('view') === 'functions' ? diffFunctions(state, root, times) : diffTree(state, root, times);
}

const groupNames = {
	host: ['web-1', 'web-2', 'db-primary', 'batch-07'],
	process: ['python3', 'postgres', 'redis-server', 'java', '[kworker]', '<img src=x onerror=alert(9)>', 'sshd', 'cron'],
	thread: ['gunicorn: worker', 'redis-server', 'C2 CompilerThre', 'G1 Conc#0', 'kworker/0:1', 'bgwriter', 'walwriter'],
};

/* 8 cores, busy by a wave that follows the clock; nothing is known of one tenth of the range. */
export function seriesAnswer(state, params, timeOf, nowMs) {
	const from = timeOf(params.get('from'), nowMs);
	const until = timeOf(params.get('until'), nowMs);
	const wanted = Math.max(1000, (until - from) / 300);
	const step = [1000, 2000, 3000, 5000, 10000, 30000, 60000, 300000, 600000, 3600000].find((each) => each >= wanted) ?? 86400000;
	const start = Math.floor(from / step) * step;
	const count = state.profile === 'empty' ? 0 : Math.max(0, Math.ceil((until - start) / step));
	const covered = Array.from({ length: count }, (_, i) => {
		const begin = Math.max(from, start + i * step);
		const share = (begin - from) / (until - from);
		return share > 0.3 && share < 0.4 && !state.noGaps ? 0 : (Math.min(until, start + (i + 1) * step) - begin) * 1e6;
	});
	const values = covered.map((ns, i) => Math.round(ns * (2.4 + 1.7 * Math.sin((start + i * step) / 47000) + 0.6 * Math.sin((start + i * step) / 9100))));
	const by = params.get('by') ?? '';
	const names = groupNames[by] ?? [];
	const limit = Number(params.get('limit') ?? 10);
	const weights = names.map((_, g) => 1 / (g + 1.3));
	const sum = weights.reduce((all, weight) => all + weight, 0);
	const parts = names.map((_, g) => values.map((value) => Math.floor((value * weights[g]) / sum)));
	const total = (list) => list.reduce((all, value) => all + value, 0);
	const rest = values.map((value, i) => value - total(parts.slice(0, limit).map((part) => part[i])));
	return {
		unit: 'nanoseconds', from: from * 1e6, until: until * 1e6, start: start * 1e6, step: step * 1e6, step_count: count,
		sample_count: Math.round(total(values) / PERIOD_NS), total: total(values), values, covered, core_ns: covered.map((ns) => ns * 8),
		by: by ? [by] : [], group_count: names.length, partial: null,
		series: names.slice(0, limit).map((name, g) => ({ labels: { [by]: name }, sample_count: 1, total: total(parts[g]), values: parts[g] })),
		other: by && names.length > limit ? { group_count: names.length - limit, sample_count: 1, total: total(rest), values: rest } : null,
	};
}

/* A thread that wakes every 333 ms, a burst once, and a background of single samples. */
export function heatAnswer(state, params, timeOf, nowMs) {
	const from = Math.floor(timeOf(params.get('from'), nowMs) / 1000) * 1000;
	const until = Math.ceil(timeOf(params.get('until'), nowMs) / 1000) * 1000;
	const columns = state.profile === 'empty' ? 0 : Math.min(1000, Math.round((until - from) / 1000));
	const column = columns > 0 ? Math.ceil((until - from) / columns / 1000) * 1000 : 1000;
	const rows = 50;
	const random = seeded(5);
	const counts = [];
	const covered = [];
	for (let c = 0; c < columns; c++) {
		const gap = c > columns * 0.3 && c < columns * 0.36;
		covered.push(gap ? 0 : column * 1e6);
		for (let r = 0; r < rows; r++) {
			const wave = Math.abs((r - ((c * 3) % 17)) % 17) < 2 ? 6 : 0;
			const burst = c > columns * 0.7 && c < columns * 0.72 && r > 12 && r < 40 ? 11 : 0;
			counts.push(gap ? 0 : Math.floor(random() * 2.2) + (random() < 0.7 ? wave : 0) + burst);
		}
	}
	const sum = counts.reduce((all, count) => all + count, 0);
	const max = counts.reduce((most, count) => Math.max(most, count), 0);
	return {
		unit: 'nanoseconds', from: from * 1e6, until: until * 1e6, start: from * 1e6, column: column * 1e6, column_count: columns,
		row: (column / rows) * 1e6, row_count: rows, sample_count: sum, total: sum * PERIOD_NS, count_max: max, value_max: max * PERIOD_NS,
		counts, values: counts.map((count) => count * PERIOD_NS), covered, partial: null,
		spread_count: state.spread ? Math.round(sum * 0.4) : 0, spread_until: state.spread ? (from + (until - from) / 2) * 1e6 : 0,
		message: state.spread ? 'Slots are kept for 48 hours.' : '',
	};
}
