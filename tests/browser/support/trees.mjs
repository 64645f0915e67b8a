// SPDX-License-Identifier: Apache-2.0
// Profiles for the fixture server: one that looks like a busy host, and the extreme ones.

import { kind } from './encode.mjs';

const PERIOD_NS = 10101010;

/* A small generator with a seed: the same trees on every machine. */
export function seeded(seed) {
	let state = seed >>> 0;
	return () => {
		state = (state + 0x6d2b79f5) >>> 0;
		let mixed = Math.imul(state ^ (state >>> 15), state | 1);
		mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
	};
}

/* name [module] kind: weight of own time, then callees with weights. */
const k = '[kernel]';
const cpython = 'libpython3.11.so.1.0';
const libc = 'libc.so.6';
const grammar = {
	root: ['total', '', kind.root, 0, { start_py: 46, start_redis: 15, start_pg: 16, start_java: 12, kthread: 7, entry_lost: 2.4, jit: 1.6 }],
	start_py: ['_start', 'python3.11', kind.native, 0, { libc_main: 1 }],
	libc_main: ['__libc_start_main', libc, kind.native, 0, { pymain: 1 }],
	pymain: ['Py_BytesMain', cpython, kind.native, 0, { eval_main: 1 }],
	eval_main: ['<module>', 'manage.py', kind.python, 0.2, { serve: 40 }],
	serve: ['WSGIHandler.__call__', 'django/core/handlers/wsgi.py', kind.python, 0.6, { get_response: 40, send: 4 }],
	get_response: ['BaseHandler.get_response', 'django/core/handlers/base.py', kind.python, 0.4, { view: 34, middleware: 5 }],
	middleware: ['GZipMiddleware.process_response', 'django/middleware/gzip.py', kind.python, 0.1, { gzip_py: 1 }],
	gzip_py: ['compress', 'gzip.py', kind.python, 0.1, { zlib_call: 1 }],
	zlib_call: ['zlib_compress', 'zlib.cpython-311-x86_64-linux-gnu.so', kind.native, 0.2, { deflate: 1 }],
	deflate: ['deflate', 'libz.so.1.2.13', kind.native, 0.2, { deflate_slow: 12, deflate_fast: 3 }],
	deflate_slow: ['deflate_slow', 'libz.so.1.2.13', kind.native, 4, { longest_match: 9, fill_window: 2 }],
	deflate_fast: ['deflate_fast', 'libz.so.1.2.13', kind.native, 2, { fill_window: 1 }],
	longest_match: ['longest_match', 'libz.so.1.2.13', kind.native, 9, { compare258: 2 }],
	compare258: ['compare258', 'libz.so.1.2.13', kind.inlined, 1, {}],
	fill_window: ['fill_window', 'libz.so.1.2.13', kind.native, 1, { memcpy: 1.4 }],
	memcpy: ['__memmove_avx_unaligned_erms', libc, kind.native, 1, { page_fault: 0.35 }],
	view: ['ReportView.get', 'reports/views.py', kind.python, 1, { orm: 14, render: 16, json: 7 }],
	orm: ['QuerySet._fetch_all', 'django/db/models/query.py', kind.python, 0.7, { orm_iter: 8, sql_exec: 6 }],
	orm_iter: ['ModelIterable.__iter__', 'django/db/models/query.py', kind.python, 2, { from_db: 5, dict_new: 3 }],
	from_db: ['Model.from_db', 'django/db/models/base.py', kind.python, 2, { type_call: 3 }],
	type_call: ['type_call', cpython, kind.native, 0.6, { object_new: 2, gc: 1.2 }],
	object_new: ['PyType_GenericAlloc', cpython, kind.native, 1, { pymalloc: 2 }],
	pymalloc: ['_PyObject_Malloc', cpython, kind.native, 1.8, { malloc: 0.6 }],
	malloc: ['malloc', libc, kind.native, 0.8, { int_malloc: 1.1 }],
	int_malloc: ['_int_malloc', libc, kind.native, 1, { sysmalloc: 0.5 }],
	sysmalloc: ['sysmalloc', libc, kind.native, 0.1, { brk: 1 }],
	brk: ['brk', libc, kind.native, 0, { syscall: 1 }],
	gc: ['gc_collect_main', cpython, kind.native, 1.2, { gc_visit: 3 }],
	gc_visit: ['visit_decref', cpython, kind.native, 1.4, {}],
	dict_new: ['dict_merge', cpython, kind.native, 1.2, { pymalloc: 0.8, unnamed_py: 0.2 }],
	unnamed_py: ['libcrypt.so.1+0x4f20', 'libcrypt.so.1', kind.unknown, 1, {}],
	sql_exec: ['CursorWrapper.execute', 'django/db/backends/utils.py', kind.python, 0.3, { pq: 4 }],
	pq: ['PQexecParams', 'libpq.so.5.15', kind.native, 0.3, { pq_recv: 2, ssl: 2 }],
	pq_recv: ['pqReadData', 'libpq.so.5.15', kind.native, 0.2, { recv: 1 }],
	recv: ['recv', libc, kind.native, 0.1, { syscall_net: 1 }],
	ssl: ['SSL_read', 'libssl.so.3', kind.native, 0.2, { ssl_record: 2 }],
	ssl_record: ['ssl3_read_bytes', 'libssl.so.3', kind.native, 0.2, { aes: 3 }],
	aes: ['aesni_gcm_decrypt', 'libcrypto.so.3', kind.native, 3, {}],
	render: ['Template.render', 'django/template/base.py', kind.python, 0.8, { nodelist: 14 }],
	nodelist: ['NodeList.render', 'django/template/base.py', kind.python, 1.4, { for_node: 9, var_node: 4 }],
	for_node: ['ForNode.render', 'django/template/defaulttags.py', kind.python, 2, { nodelist: 4, var_node: 5 }],
	var_node: ['VariableNode.render', 'django/template/base.py', kind.python, 1.4, { resolve: 4, escape: 2 }],
	resolve: ['FilterExpression.resolve', 'django/template/base.py', kind.python, 2, { getattr: 3 }],
	getattr: ['_PyObject_GenericGetAttrWithDict', cpython, kind.native, 2, { pytype_lookup: 2 }],
	pytype_lookup: ['_PyType_Lookup', cpython, kind.native, 1.6, {}],
	escape: ['conditional_escape', 'django/utils/html.py', kind.python, 0.8, { str_replace: 2 }],
	str_replace: ['unicode_replace', cpython, kind.native, 1.5, { memcpy: 0.5, malloc: 0.4 }],
	json: ['JSONEncoder.iterencode', 'json/encoder.py', kind.python, 0.8, { encode_basic: 5 }],
	encode_basic: ['encoder_listencode_obj', '_json.cpython-311-x86_64-linux-gnu.so', kind.native, 2, { encode_dict: 4 }],
	encode_dict: ['encoder_listencode_dict', '_json.cpython-311-x86_64-linux-gnu.so', kind.native, 2, { encode_basic: 2, escape_json: 2 }],
	escape_json: ['ascii_escape_unicode', '_json.cpython-311-x86_64-linux-gnu.so', kind.native, 2, { malloc: 0.4 }],
	send: ['socket.sendall', 'socket.py', kind.python, 0.1, { sendto: 1 }],
	sendto: ['__send', libc, kind.native, 0.1, { syscall_net: 1 }],
	start_redis: ['_start', 'redis-server', kind.native, 0, { redis_main: 1 }],
	redis_main: ['main', 'redis-server', kind.native, 0, { aeMain: 1 }],
	aeMain: ['aeMain', 'redis-server', kind.native, 0.2, { aeProcess: 10 }],
	aeProcess: ['aeProcessEvents', 'redis-server', kind.native, 0.5, { readQuery: 8, epoll: 1.4, writeClient: 2.6 }],
	readQuery: ['readQueryFromClient', 'redis-server', kind.native, 0.4, { processInput: 7, read: 2 }],
	processInput: ['processInputBuffer', 'redis-server', kind.native, 0.4, { call: 6 }],
	call: ['call', 'redis-server', kind.native, 0.5, { lrange: 3, setCommand: 2, lua: 1.6 }],
	lrange: ['lrangeCommand', 'redis-server', kind.native, 0.6, { addReply: 2 }],
	addReply: ['addReplyBulkCBuffer', 'redis-server', kind.native, 1, { memcpy: 0.8 }],
	setCommand: ['setGenericCommand', 'redis-server', kind.native, 0.4, { dictAdd: 2 }],
	dictAdd: ['dictAddRaw', 'redis-server', kind.native, 1, { siphash: 1, je_malloc: 1 }],
	siphash: ['siphash', 'redis-server', kind.inlined, 1, {}],
	je_malloc: ['je_malloc', 'libjemalloc.so.2', kind.native, 1.2, {}],
	lua: ['evalGenericCommand', 'redis-server', kind.native, 0.2, { lua_call: 2 }],
	lua_call: ['luaV_execute', 'redis-server', kind.native, 1, { lua_fn: 2 }],
	lua_fn: ['@user_script:14', 'user_script', kind.lua, 1, { luaH: 1 }],
	luaH: ['luaH_getstr', 'redis-server', kind.native, 1, {}],
	read: ['read', libc, kind.native, 0.1, { syscall_net: 1 }],
	writeClient: ['writeToClient', 'redis-server', kind.native, 0.2, { write: 1 }],
	write: ['write', libc, kind.native, 0.1, { syscall_net: 1 }],
	epoll: ['epoll_wait', libc, kind.native, 0.1, { syscall_epoll: 1 }],
	start_pg: ['_start', 'postgres', kind.native, 0, { pg_main: 1 }],
	pg_main: ['PostmasterMain', 'postgres', kind.native, 0, { backend: 1 }],
	backend: ['PostgresMain', 'postgres', kind.native, 0.2, { exec_simple: 1 }],
	exec_simple: ['exec_simple_query', 'postgres', kind.native, 0.1, { planner: 2, portal: 8 }],
	planner: ['standard_planner', 'postgres', kind.native, 0.5, { join_search: 2 }],
	join_search: ['standard_join_search', 'postgres', kind.native, 1, { malloc: 0.5 }],
	portal: ['PortalRun', 'postgres', kind.native, 0.1, { exec_run: 8 }],
	exec_run: ['ExecutorRun', 'postgres', kind.native, 0.1, { sort_node: 4, hash_join: 4 }],
	sort_node: ['ExecSort', 'postgres', kind.native, 0.2, { tuplesort: 3 }],
	tuplesort: ['tuplesort_performsort', 'postgres', kind.native, 0.2, { qsort: 3, logtape: 1.4 }],
	qsort: ['qsort_ssup', 'postgres', kind.native, 2, { strcoll: 3 }],
	strcoll: ['strcoll_l', libc, kind.native, 3, {}],
	logtape: ['LogicalTapeWrite', 'postgres', kind.native, 0.2, { pwrite: 1 }],
	pwrite: ['pwrite64', libc, kind.native, 0, { syscall_file: 1 }],
	hash_join: ['ExecHashJoin', 'postgres', kind.native, 1, { seqscan: 3, hash_get: 1.5 }],
	hash_get: ['ExecHashGetHashValue', 'postgres', kind.native, 1, {}],
	seqscan: ['SeqNext', 'postgres', kind.native, 0.6, { heapgettup: 3 }],
	heapgettup: ['heapgettup_pagemode', 'postgres', kind.native, 2, { bufread: 1.2 }],
	bufread: ['ReadBufferExtended', 'postgres', kind.native, 0.5, { pread: 1 }],
	pread: ['pread64', libc, kind.native, 0, { syscall_file: 1 }],
	start_java: ['java_start', 'libjvm.so', kind.native, 0, { thread_run: 1 }],
	thread_run: ['JavaThread::thread_main_inner()', 'libjvm.so', kind.native, 0, { jcall: 3, gc_thread: 1.5 }],
	jcall: ['JavaCalls::call_helper(JavaValue*, methodHandle const&, JavaCallArguments*, JavaThread*)', 'libjvm.so', kind.native, 0, { jrun: 1 }],
	jrun: ['java.util.concurrent.ThreadPoolExecutor.runWorker', 'java.base', kind.jvm, 0.1, { jhandler: 1 }],
	jhandler: ['com.example.billing.InvoiceService.render', 'billing.jar', kind.jvm, 0.6, { jhash: 2, jstring: 2 }],
	jhash: ['java.util.HashMap.getNode', 'java.base', kind.jvm, 2, {}],
	jstring: ['java.lang.StringConcatHelper.prepend', 'java.base', kind.jvm, 1.4, { jcopy: 1 }],
	jcopy: ['java.util.Arrays.copyOfRange', 'java.base', kind.jvm, 1, {}],
	gc_thread: ['G1ParScanThreadState::copy_to_survivor_space(G1HeapRegionAttr, oop, markWord)', 'libjvm.so', kind.native, 1.4, { g1: 1 }],
	g1: ['void OopOopIterateDispatch<G1ScanEvacuatedObjClosure>::Table::oop_oop_iterate<InstanceKlass, narrowOop>(G1ScanEvacuatedObjClosure*, oop, Klass*)', 'libjvm.so', kind.native, 1, {}],
	jit: ['0x7f3a1c0412e0', '', kind.unknown, 1, { jit2: 1.2 }],
	jit2: ['0x7f3a1c04a9b4', '', kind.unknown, 1, {}],
	entry_lost: ['[unwind stopped: no unwind table]', '', kind.marker, 0, { gpu: 2, vdso: 1 }],
	gpu: ['libnvcodec.so.550+0x8b3d10', 'libnvcodec.so.550', kind.unknown, 1, { gpu2: 1 }],
	gpu2: ['libnvcodec.so.550+0x8b1f44', 'libnvcodec.so.550', kind.unknown, 1, {}],
	vdso: ['__vdso_clock_gettime', '[vdso]', kind.native, 1, {}],
	kthread: ['ret_from_fork', k, kind.kernel, 0, { kthread_fn: 1 }],
	kthread_fn: ['kthread', k, kind.kernel, 0, { worker: 3, ksoftirqd: 1.4 }],
	worker: ['worker_thread', k, kind.kernel, 0.2, { process_one: 2 }],
	process_one: ['process_one_work', k, kind.kernel, 0.3, { wb: 2, btrfs: 1 }],
	wb: ['wb_workfn', k, kind.kernel, 0.1, { ext4_wp: 2 }],
	ext4_wp: ['ext4_writepages', '[ext4]', kind.kernel, 0.6, { bio: 1 }],
	bio: ['submit_bio_noacct', k, kind.kernel, 1, {}],
	btrfs: ['blk_mq_run_work_fn', k, kind.kernel, 1, {}],
	ksoftirqd: ['run_ksoftirqd', k, kind.kernel, 0.1, { softirq: 1 }],
	softirq: ['__do_softirq', k, kind.kernel, 0.4, { net_rx: 2 }],
	net_rx: ['net_rx_action', k, kind.kernel, 0.5, { napi: 2 }],
	napi: ['virtnet_poll', '[virtio_net]', kind.kernel, 1, { gro: 1 }],
	gro: ['tcp_gro_receive', k, kind.kernel, 1, {}],
	syscall: ['entry_SYSCALL_64_after_hwframe', k, kind.kernel, 0.1, { do_syscall: 1 }],
	do_syscall: ['do_syscall_64', k, kind.kernel, 0.2, { do_brk: 1 }],
	do_brk: ['__x64_sys_brk', k, kind.kernel, 0.2, { mmap_region: 1 }],
	mmap_region: ['do_brk_flags', k, kind.kernel, 1, {}],
	syscall_net: ['entry_SYSCALL_64_after_hwframe', k, kind.kernel, 0.1, { do_net: 1 }],
	do_net: ['do_syscall_64', k, kind.kernel, 0.2, { tcp_send: 2, tcp_recv: 1.5 }],
	tcp_send: ['tcp_sendmsg', k, kind.kernel, 0.4, { tcp_write: 2 }],
	tcp_write: ['__tcp_transmit_skb', k, kind.kernel, 0.8, { ip_queue: 2 }],
	ip_queue: ['ip_finish_output2', k, kind.kernel, 0.8, { xmit: 1 }],
	xmit: ['start_xmit', '[virtio_net]', kind.kernel, 1, {}],
	tcp_recv: ['tcp_recvmsg', k, kind.kernel, 0.6, { copy_user: 1 }],
	copy_user: ['copy_user_generic_string', k, kind.kernel, 1, {}],
	syscall_epoll: ['entry_SYSCALL_64_after_hwframe', k, kind.kernel, 0.1, { do_epoll: 1 }],
	do_epoll: ['ep_poll', k, kind.kernel, 0.4, { schedule: 1 }],
	schedule: ['__schedule', k, kind.kernel, 1, { finish_task: 1 }],
	finish_task: ['finish_task_switch.isra.0', k, kind.kernel, 1, {}],
	syscall_file: ['entry_SYSCALL_64_after_hwframe', k, kind.kernel, 0.1, { vfs: 1 }],
	vfs: ['vfs_read', k, kind.kernel, 0.3, { ext4_read: 1 }],
	ext4_read: ['ext4_file_read_iter', '[ext4]', kind.kernel, 0.3, { filemap: 1 }],
	filemap: ['filemap_read', k, kind.kernel, 1, { copy_user: 1.4 }],
	page_fault: ['asm_exc_page_fault', k, kind.kernel, 0.2, { handle_mm: 1 }],
	handle_mm: ['handle_mm_fault', k, kind.kernel, 0.6, { clear_page: 1.2 }],
	clear_page: ['clear_page_erms', k, kind.kernel, 1, {}],
};

const DEPTH_MAX = 70;

/* Source files of what was built here; what comes from elsewhere has none. */
const builtHere = new Map([['redis-server', '/build/redis/src'], ['libz.so.1.2.13', '/build/zlib']]);
function fileOf(name, module, nodeKind) {
	const folder = builtHere.get(module);
	const isNative = nodeKind === kind.native || nodeKind === kind.inlined;
	return folder && isNative ? `${folder}/${name}.c` : '';
}

/* Spreads SAMPLES over the grammar from RULE down; what remains of a node after its callees is its own. */
function grow(rule, samples, random, depth, trimBelow) {
	const [name, module, nodeKind, own, callees] = grammar[rule];
	const node = { name, module, kind: nodeKind, file: fileOf(name, module, nodeKind), value: samples * PERIOD_NS, children: [] };
	const entries = Object.entries(callees).map(([callee, weight]) => [callee, weight * (0.6 + 0.8 * random())]);
	const sum = own + entries.reduce((all, [, weight]) => all + weight, 0);
	let small = 0;
	let smallCount = 0;
	for (const [callee, weight] of entries) {
		const share = Math.floor((samples * weight) / sum + random() * 0.999);
		const left = samples - node.children.reduce((all, child) => all + child.value, 0) / PERIOD_NS - small;
		const part = Math.min(share, left);
		if (part < 1 || depth >= DEPTH_MAX)
			continue;
		if (part < trimBelow) {
			small += part;
			smallCount += 1 + Math.floor(random() * 5);
			continue;
		}
		node.children.push(grow(callee, part, random, depth + 1, trimBelow));
	}
	if (small > 0)
		node.children.push({ name: '(small)', module: '', kind: kind.trimmed, value: small * PERIOD_NS, children: [], smallNodes: smallCount });
	return node;
}

export function busyHost({ seed = 7, samples = 84000, trimBelow = 0 } = {}) {
	return grow('root', samples, seeded(seed), 0, trimBelow);
}

/* Recursion 2,000 deep with little branches on the way. */
export function deepStack(depth = 2000) {
	const leafFirst = [];
	for (let i = depth; i > 0; i--)
		leafFirst.push({ name: i % 7 ? 'eval_expression' : `visit_node_${i}`, module: 'interp', kind: kind.native, value: (depth + 1 - i + 40) * PERIOD_NS, children: [] });
	for (let i = 1; i < leafFirst.length; i++)
		leafFirst[i].children.push(leafFirst[i - 1]);
	const top = leafFirst[leafFirst.length - 1];
	return { name: 'total', module: '', kind: kind.root, value: top.value, children: [top] };
}

/* Case U05: one giant beside very many dwarfs. */
export function needles(count = 50000) {
	const children = [{ name: 'giant', module: 'app', kind: kind.native, value: 1e6, children: [] }];
	for (let i = 0; i < count; i++)
		children.push({ name: `needle_${i}`, module: 'app', kind: kind.native, value: 1, children: [] });
	return { name: 'total', module: '', kind: kind.root, value: 1e6 + count, children };
}

export const hostileNames = [
	'<img src=x onerror=alert(1)>',
	'</script><svg onload=alert(2)>',
	'std::map<int,Input>',
	'a&amp;b&lt;',
	'"\' onmouseover="alert(3)',
	'right\u202eto\u202cleft',
	'nul\u0000inside',
	'line\nbreak',
	'emoji 🗿 函数 وظيفة',
	'=HYPERLINK("http://x")',
	`${'very_long::namespace_'.repeat(487)}tail`,
];

export function hostile() {
	const children = hostileNames.map((name, i) => ({ name, module: i % 2 ? '<b>lib</b>.so' : 'app', kind: kind.native, value: (hostileNames.length - i) * PERIOD_NS * 10, children: [] }));
	return { name: 'total', module: '', kind: kind.root, value: children.reduce((sum, { value }) => sum + value, 0), children };
}

export function nothing() {
	return { name: 'total', module: '', kind: kind.root, value: 0, children: [] };
}

/* NODES nodes with heavy-tailed widths, some tens of levels and names of 40 characters, made as columns:
 * a tree of objects of this size would cost more than what is measured with it. */
export function large(nodes, seed = 11) {
	const random = seeded(seed);
	const nameCount = Math.max(100, Math.floor(nodes / 12));
	const modules = Array.from({ length: 40 }, (_, i) => `lib${['core', 'net', 'store', 'query', 'render', 'codec', 'auth', 'cache'][i % 8]}_${i}.so.${i % 5}`);
	const names = ['total'];
	for (let i = 1; i < nameCount; i++)
		names.push(`company::${['service', 'storage', 'transport', 'index'][i % 4]}::Handler${i % 997}::process_item_${i}`);
	const childCount = [];
	const totals = [2 ** 50];
	const name = [0];
	for (let i = 0; i < totals.length; i++) {
		/* A fifth more nodes from level to level: some sixty levels at half a million. */
		const dice = random();
		const drawn = i < 60 ? 2 + Math.floor(dice * 4) : dice < 0.1 ? 0 : dice < 0.92 ? 1 : 2 + Math.floor(random() * 7);
		const wanted = Math.min(drawn, nodes - totals.length);
		const weights = Array.from({ length: wanted }, () => random() ** 4 + 0.01);
		const sum = weights.reduce((all, weight) => all + weight, 0) * (1 + 0.15 * random());
		const made = weights.map((weight) => Math.floor((totals[i] * weight) / sum)).filter((value) => value > 0).sort((a, b) => b - a);
		for (const value of made) {
			totals.push(value);
			name.push(1 + Math.floor(random() ** 2 * (nameCount - 1)));
		}
		childCount.push(made.length);
	}
	return {
		childCount,
		totals,
		name,
		names,
		nameModule: names.map((_, i) => (i ? 1 + (i % modules.length) : 0)),
		nameKind: names.map((_, i) => (i === 0 ? kind.root : i % 9 === 4 ? kind.kernel : kind.native)),
		modules,
		trimmed: [],
	};
}

/* The renderer's worst case: LEVELS levels, each cut into cells of one or two pixels of a wide screen. */
export function combs(levels = 48, cells = 20000) {
	const names = ['total', ...Array.from({ length: 500 }, (_, i) => `comb_function_number_${i}`)];
	const width = 3000;
	const childCount = [cells];
	const totals = [cells * width * levels];
	const name = [0];
	for (let level = 0; level < levels; level++) {
		for (let cell = 0; cell < cells; cell++) {
			totals.push(width * (levels - level));
			name.push(1 + ((cell * 7 + level * 13) % 500));
			childCount.push(level + 1 < levels ? 1 : 0);
		}
	}
	return {
		childCount, totals, name, names,
		nameModule: names.map((_, i) => (i ? 1 + (i % 4) : 0)),
		nameKind: names.map((_, i) => (i ? kind.native : kind.root)),
		modules: ['liba.so', 'libb.so', 'libc.so', 'libd.so'],
		trimmed: [],
	};
}

export { PERIOD_NS };
