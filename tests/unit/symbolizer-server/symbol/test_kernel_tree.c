/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/symbol/kernel_tree.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "store/base/cleanup.h"
#include "store/base/clock.h"
#include "tests/support/check.h"
#include "tests/support/work_dir.h"

static struct kernel_tree *tree;
static uint64_t now_ns = NS_PER_S;
static unsigned looked_into;

/* The first byte says which build it is, the second that it has debug information. */
static int identify(void *context, int fd, struct build_id *ret_id, bool *ret_has_dwarf)
{
	char text[2];

	CHECK(context == &looked_into);
	looked_into++;
	if (pread(fd, text, sizeof(text), 0) != sizeof(text))
		return -EBADMSG;
	*ret_has_dwarf = text[1] == 'd';
	return build_id_make(BUILD_ID_GNU, text, 1, ret_id);
}

/* What the file says; `-` if there is none. */
static const char *find(const char *name, const char *build)
{
	static char text[16];
	SCOPED_FD int fd = -1;
	struct build_id id;
	int r;

	CHECK_EQ(build_id_make(BUILD_ID_GNU, build, 1, &id), 0);
	r = kernel_tree_open(tree, name, &id, now_ns, &fd);
	if (r < 0) {
		CHECK_EQ(r, -ENOENT);
		return "-";
	}
	memset(text, 0, sizeof(text));
	CHECK(pread(fd, text, sizeof(text) - 1, 0) > 0);
	return text;
}

static void pass(void)
{
	now_ns += KERNEL_TREE_WALK_NS;
	looked_into = 0;
}

static void a_tree_that_is_not_there_yet_holds_nothing(void)
{
	CHECK_STR(find("[kernel]", "K"), "-");
	CHECK_STR(find("[loop]", "L"), "-");
}

static void images_stand_where_distributions_lay_them(void)
{
	static const char *const places[] = {"vmlinux", "vmlinux-6.1.0", "boot/vmlinux-6.1.0",
		"lib/modules/6.1.0/vmlinux", "usr/lib/modules/6.1.0/vmlinux.debug"};

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		work_run("mkdir -p $(dirname tree/%s) && printf Kd >tree/%s", places[i], places[i]);
		pass();
		CHECK_STR(find("[kernel]", "K"), "Kd");
		CHECK_STR(find("[kernel]", "O"), "-");
		CHECK_STR(find("[loop]", "K"), "-");
		work_run("rm -r tree");
	}
}

static void modules_stand_anywhere_below_their_release(void)
{
	work_run("mkdir -p tree/lib/modules/6.1/kernel/net/a tree/lib/modules/6.2/extra && "
		 "printf Ad >tree/lib/modules/6.1/kernel/net/a/nf-conn_track.ko && "
		 "printf Bd >tree/lib/modules/6.2/extra/nf-conn-track.ko.debug && "
		 "printf Cd >tree/lib/modules/6.2/extra/nf.ko && printf Dd >tree/other.ko.gz && "
		 "printf Ed >tree/packed.ko.lz4");
	pass();
	CHECK_STR(find("[nf_conn_track]", "A"), "Ad");
	CHECK_STR(find("[nf_conn_track]", "B"), "Bd");
	CHECK_STR(find("[nf_conn_track]", "C"), "-");
	CHECK_STR(find("[nf]", "C"), "Cd");
	CHECK_STR(find("[other]", "D"), "Dd");
	CHECK_STR(find("[packed]", "E"), "-");
	/* Names that no collector gives. */
	CHECK_STR(find("nf", "C"), "-");
	CHECK_STR(find("[]", "C"), "-");
	CHECK_STR(find("[", "C"), "-");
	CHECK_STR(find("", "C"), "-");
}

static void a_file_is_looked_into_once_as_long_as_it_stays_the_same(void)
{
	pass();
	CHECK_STR(find("[nf_conn_track]", "A"), "Ad");
	CHECK_STR(find("[nf_conn_track]", "X"), "-");
	CHECK_EQ(looked_into, 0);
	work_run("printf Xd >tree/lib/modules/6.2/extra/nf-conn-track.ko.debug && "
		 "touch -d '1 hour ago' tree/lib/modules/6.2/extra/nf-conn-track.ko.debug");
	CHECK_STR(find("[nf_conn_track]", "X"), "Xd");
	CHECK_EQ(looked_into, 1);
	/* Others of a name stay known when files come and go. */
	work_run("printf Yd >tree/lib/modules/6.1/0.ko && rm tree/lib/modules/6.2/extra/nf.ko");
	CHECK_STR(find("[0]", "Y"), "-");
	pass();
	CHECK_STR(find("[0]", "Y"), "Yd");
	CHECK_STR(find("[nf_conn_track]", "A"), "Ad");
	CHECK_STR(find("[nf]", "C"), "-");
	CHECK_EQ(looked_into, 1);
}

static void what_has_no_debug_information_or_is_no_file_does_not_count(void)
{
	work_run("cd tree/lib/modules/6.1 && printf S- >s.ko && printf d >t.ko && mkfifo u.ko && "
		 "mkdir v.ko && ln -s /nowhere w.ko && ln -s .. loop");
	pass();
	CHECK_STR(find("[s]", "S"), "-");
	CHECK_STR(find("[t]", "d"), "-");
	CHECK_STR(find("[u]", "S"), "-");
	CHECK_STR(find("[v]", "S"), "-");
	CHECK_STR(find("[w]", "S"), "-");
	CHECK_EQ(looked_into, 2);
	CHECK_STR(find("[s]", "S"), "-");
	CHECK_EQ(looked_into, 2);
}

int main(void)
{
	CHECK_EQ(kernel_tree_new(work_path("tree"), identify, &looked_into, &tree), 0);
	RUN(a_tree_that_is_not_there_yet_holds_nothing);
	RUN(images_stand_where_distributions_lay_them);
	RUN(modules_stand_anywhere_below_their_release);
	RUN(a_file_is_looked_into_once_as_long_as_it_stays_the_same);
	RUN(what_has_no_debug_information_or_is_no_file_does_not_count);
	kernel_tree_free(tree);
	kernel_tree_free(NULL);
	return 0;
}
