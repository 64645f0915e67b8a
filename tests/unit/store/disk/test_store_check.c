/* SPDX-License-Identifier: Apache-2.0 */
#include "store/disk/store_check.h"

#include <errno.h>
#include <string.h>

#include "tests/support/check.h"
#include "tests/support/store_fixture.h"
#include "tests/support/work_dir.h"

struct findings {
	int count;
	char file[64], what[256]; /* of the last */
	uint64_t bytes;
};

static void note(void *context, const struct store_check_finding *finding)
{
	struct findings *findings = context;

	findings->count++;
	findings->bytes += finding->bytes;
	snprintf(findings->file, sizeof(findings->file), "%s", finding->file);
	snprintf(findings->what, sizeof(findings->what), "%s", finding->what);
}

static struct store_check_summary check(const char *name, struct findings *findings)
{
	struct store_check_summary summary;

	*findings = (struct findings){0};
	CHECK_EQ(store_check(work_path("%s", name), note, findings, &summary), 0);
	CHECK_EQ(summary.damage_count + summary.note_count, findings->count);
	return summary;
}

/* A segment of 10 batches, a sealed log of 5, and one of 5 that is still written. */
static struct profile_store *filled_store(const char *name)
{
	struct profile_store_config config = fixture_config(work_path("%s", name));
	struct profile_store *store = fixture_open(&config, NULL);
	struct fixture_answers answers = {0};

	for (uint64_t i = 0; i < 20; i++) {
		CHECK_EQ(fixture_append(store, "a", 1, i, 20, &answers), 0);
		CHECK_EQ(profile_store_flush(store), 0);
		if (i == 9)
			fixture_now_ns += 3600 * NS_PER_S;
		if (i == 9)
			profile_store_compact(store);
		if (i == 14)
			fixture_now_ns += 600 * NS_PER_S;
	}
	return store;
}

static void a_folder_in_use_is_sound(void)
{
	struct profile_store *store = filled_store("sound");
	struct store_check_summary summary;
	struct findings findings;

	for (int round = 0; round < 2; round++) {
		summary = check("sound", &findings);
		CHECK_EQ(findings.count, 0);
		CHECK_EQ(summary.log_count, 2);
		CHECK_EQ(summary.segment_count, 1);
		CHECK_EQ(summary.record_count, 20);
		CHECK(summary.byte_count > 1000);
		profile_store_close(store);
		store = NULL;
	}
}

static void what_a_killed_server_left_is_no_damage(void)
{
	struct store_check_summary summary;
	struct findings findings;

	profile_store_close(filled_store("killed"));
	work_run("cd killed/profiles && last=$(ls *.log | tail -n 1) && "
		 "size=$(stat -c %%s $last) && truncate -s $((size - 900)) $last");
	summary = check("killed", &findings);
	CHECK_EQ(summary.damage_count, 0);
	CHECK_EQ(summary.note_count, 1);
	CHECK(strstr(findings.what, "nothing acknowledged is lost"));
}

static void damage_of_a_log_is_found_wherever_it_is(void)
{
	struct findings findings;
	int found = 0, places = 0;

	profile_store_close(filled_store("log"));
	work_run("cp log/profiles/0000000003.log sealed");
	for (int place = 40; place < 4000; place += 97, places++) {
		if (work_try("test $(stat -c %%s sealed) -gt %d", place) != 0)
			break;
		work_run("cp sealed log/profiles/0000000003.log && printf '\\001\\377' | "
			 "dd of=log/profiles/0000000003.log bs=1 seek=%d conv=notrunc "
			 "status=none",
			place);
		found += check("log", &findings).damage_count > 0;
		CHECK(findings.count == 0 || strcmp(findings.file, "profiles/0000000003.log") == 0);
	}
	CHECK(places > 5);
	CHECK_EQ(found, places);
	work_run("cp sealed log/profiles/0000000003.log");
	CHECK_EQ(check("log", &findings).damage_count, 0);
}

static void damage_of_a_segment_is_found_wherever_it_is(void)
{
	struct findings findings;
	int found = 0, places = 0;

	profile_store_close(filled_store("segment"));
	work_run("cp segment/profiles/*.seg whole");
	for (int place = 40; place < 8000; place += 131, places++) {
		if (work_try("test $(stat -c %%s whole) -gt %d", place) != 0)
			break;
		work_run("file=$(ls segment/profiles/*.seg) && cp whole $file && "
			 "printf '\\001\\377' | dd of=$file bs=1 seek=%d conv=notrunc status=none",
			place);
		found += check("segment", &findings).damage_count > 0;
	}
	CHECK(places > 5);
	CHECK_EQ(found, places);
	work_run("file=$(ls segment/profiles/*.seg) && cp whole $file && mv $file "
		 "segment/profiles/0000000777.seg");
	CHECK_EQ(check("segment", &findings).damage_count, 1);
	CHECK(strstr(findings.what, "was written as number"));
}

static void what_is_no_data_folder_is_refused(void)
{
	struct store_check_summary summary;
	struct findings findings;

	CHECK_EQ(store_check(work_path("nothing"), note, &findings, &summary), -ENOENT);
	CHECK(summary.problem[0]);
	work_run("mkdir other");
	CHECK_EQ(store_check(work_path("other"), note, &findings, &summary), -ENOENT);
	profile_store_close(filled_store("later"));
	work_write_text("later/format", "cairn data folder, format 99\n");
	CHECK_EQ(store_check(work_path("later"), note, &findings, &summary), -ENOTSUP);
}

int main(void)
{
	RUN(a_folder_in_use_is_sound);
	RUN(what_a_killed_server_left_is_no_damage);
	RUN(damage_of_a_log_is_found_wherever_it_is);
	RUN(damage_of_a_segment_is_found_wherever_it_is);
	RUN(what_is_no_data_folder_is_refused);
	return 0;
}
