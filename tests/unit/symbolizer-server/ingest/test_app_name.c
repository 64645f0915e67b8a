/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/ingest/app_name.h"

#include <errno.h>

#include "tests/support/check.h"

static struct app_name name;
static struct ingest_fault fault;

static void check_label(const char *key, const char *value)
{
	const struct ingest_text *found = app_name_label(&name, key);

	CHECK(found);
	CHECK_EQ(found->length, strlen(value));
	CHECK(memcmp(found->text, value, found->length) == 0);
}

static void parse(const char *text, const char *app, uint32_t labels)
{
	CHECK_EQ(app_name_parse(text, &name, &fault), 0);
	CHECK_EQ(name.app.length, strlen(app));
	CHECK(memcmp(name.app.text, app, name.app.length) == 0);
	CHECK_EQ(name.label_count, labels);
}

static void refuse(const char *text, const char *part)
{
	CHECK_EQ(app_name_parse(text, &name, &fault), -EINVAL);
	CHECK(strstr(fault.text, part));
}

static void names_have_labels_or_none(void)
{
	parse("web.cpu", "web.cpu", 0);
	parse("web{}", "web", 0);
	parse(" my/app-1 { region = eu , env=a b }", "my/app-1", 2);
	check_label("region", "eu");
	check_label("env", "a b");
	CHECK(!app_name_label(&name, "regio"));
}

static void values_hold_what_they_like(void)
{
	parse("a{otel.scope.name=com.grafana/x,v=a=b:c\"d\",e=}", "a", 3);
	check_label("otel.scope.name", "com.grafana/x");
	check_label("v", "a=b:c\"d\"");
	check_label("e", "");
}

static void what_stands_behind_the_brace_is_nothing(void)
{
	parse("app{a=1}{b=2}", "app", 1);
	parse("app{a=1,}", "app", 1);
	parse("app{a=1,b=2", "app", 2);
	check_label("b", "2");
}

static void a_label_may_rename_it(void)
{
	parse("app{__name__=other,x=1,x=2}", "other", 3);
	check_label("x", "2");
}

static void what_names_nothing_is_refused(void)
{
	refuse("", "name of the service");
	refuse("{a=b}", "name of the service");
	refuse("foo bar", "' '");
	refuse("a{=b}", "without a name");
}

static void more_labels_than_a_series_takes_are_told(void)
{
	char text[2048] = "a{";

	for (int i = 0; i < APP_NAME_LABEL_COUNT_MAX + 2; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "k%d=v,", i);
	parse(text, "a", APP_NAME_LABEL_COUNT_MAX);
	CHECK_EQ(name.dropped_count, 2);
}

int main(void)
{
	RUN(names_have_labels_or_none);
	RUN(values_hold_what_they_like);
	RUN(what_stands_behind_the_brace_is_nothing);
	RUN(a_label_may_rename_it);
	RUN(what_names_nothing_is_refused);
	RUN(more_labels_than_a_series_takes_are_told);
	return 0;
}
