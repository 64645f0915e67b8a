/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a fuzz target over every file of the folders that are its arguments. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

#include "store/base/cleanup.h"
#include "tests/fuzz/fuzz.h"

/* Whatever libFuzzer keeps is far smaller. */
#define INPUT_BYTES_MAX (1u << 20)

static void replay_file(const char *path)
{
	/* Of exactly the input's size, so that a read past its end is seen. */
	SCOPED_FREE uint8_t *bytes = malloc(INPUT_BYTES_MAX), *input = NULL;
	SCOPED_FILE FILE *file = fopen(path, "rb");
	size_t count;

	if (!bytes || !file) {
		perror(path);
		exit(1);
	}
	count = fread(bytes, 1, INPUT_BYTES_MAX, file);
	input = malloc(count ? count : 1);
	if (!input)
		exit(1);
	for (size_t i = 0; i < count; i++)
		input[i] = bytes[i];
	LLVMFuzzerTestOneInput(input, count);
}

static int replay_folder(const char *folder)
{
	DIR *entries = opendir(folder);
	struct dirent *entry;
	int count = 0;

	while (entries && (entry = readdir(entries))) {
		char path[4096];

		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
		replay_file(path);
		count++;
	}
	if (entries)
		closedir(entries);
	return count;
}

int main(int argc, char **argv)
{
	int count = 0;

	for (int i = 1; i < argc; i++)
		count += replay_folder(argv[i]);
	printf("%d inputs\n", count);
	return count > 0 ? 0 : 1;
}
