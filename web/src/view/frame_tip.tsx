// SPDX-License-Identifier: Apache-2.0
import { useLayoutEffect, useRef } from 'preact/hooks';
import { focus, hover, tree } from '../state/profile.ts';
import { factsOf } from './frame_facts.ts';
import { frameMenu } from './frame_menu.tsx';

const AWAY_PX = 14;
const EDGE_PX = 6;

export function FrameTip() {
	const box = useRef<HTMLDivElement>(null);
	const at = hover.value;
	const held = tree.value;

	useLayoutEffect(() => {
		const element = box.current;
		if (!element || !at)
			return;
		const { width, height } = element.getBoundingClientRect();
		const right = at.x + AWAY_PX + width + EDGE_PX <= innerWidth;
		const below = at.y + AWAY_PX + height + EDGE_PX <= innerHeight;
		const left = right ? at.x + AWAY_PX : Math.max(EDGE_PX, at.x - AWAY_PX - width);
		const top = below ? at.y + AWAY_PX : Math.max(EDGE_PX, at.y - AWAY_PX - height);
		element.style.transform = `translate(${Math.round(left)}px, ${Math.round(top)}px)`;
	});

	if (!at || !held || at.node >= held.nodeCount || frameMenu.value)
		return null;
	const facts = factsOf(held, at.node, focus.value);
	return (
		<div class="tip" ref={box} role="presentation">
			<div class="tip-name">{facts.name}</div>
			<div class="tip-module">
				{facts.module && <span>{facts.module}</span>}
				<span class="quiet">{facts.kindWord}</span>
			</div>
			{facts.place && <div class="tip-place">{facts.place}</div>}
			<dl class="tip-facts">
				<dt>Total</dt>
				<dd>{facts.total}</dd>
				<dd>{facts.totalPercent}</dd>
				<dt>Self</dt>
				<dd>{facts.self}</dd>
				<dd>{facts.selfPercent}</dd>
				{facts.focusPercent && (
					<>
						<dt>Of focus</dt>
						<dd />
						<dd>{facts.focusPercent}</dd>
					</>
				)}
				{facts.samples && (
					<>
						<dt>Samples</dt>
						<dd>{facts.samples}</dd>
						<dd />
					</>
				)}
			</dl>
			{facts.remark && <p class="tip-remark">{facts.remark}</p>}
		</div>
	);
}
