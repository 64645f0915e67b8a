/* SPDX-License-Identifier: Apache-2.0 */
/* libiberty writes its result in pieces to a callback (D apart, see below). A crafted name of some hundred letters can
 * ask for gigabytes of result, so the callback leaves by longjmp once it has enough. That is
 * safe where the demangler holds no memory of the heap while it calls back: C++ names always, Rust
 * v0 names unless one of their identifiers is in punycode; names of that kind are left alone if
 * they could also grow without bound.
 */
#include "symbolizer-server/symbol/demangle.h"

#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <libiberty/demangle.h>

#include "symbolizer-server/sandbox/name_text.h"

/* Work grows with the square of the length at worst; compilers write 10 KiB for the wildest
 * templates. */
#define MANGLED_BYTES_MAX (16u << 10)
/* D's demangler gives its result whole, and a back reference may name a part with back references
 * in it: with at most so many in a name of at most so many letters, the result is some megabytes
 * at worst. */
#define D_BYTES_MAX 2048
#define D_REFERENCE_COUNT_MAX 20
/* Pieces of one name: a crafted one can be made of very many that are empty. */
#define PIECE_COUNT_MAX 100000
#define ELLIPSIS "\xe2\x80\xa6"
#define ELLIPSIS_BYTES 3

struct output {
	char *text;
	size_t length;
	size_t length_max;
	uint32_t piece_count;
	jmp_buf enough;
};

static void take_piece(const char *piece, size_t length, void *context)
{
	struct output *output = context;
	size_t room = output->length_max - output->length;
	size_t part = length < room ? length : room;

	if (part > 0)
		memcpy(output->text + output->length, piece, part);
	output->length += part;
	if (part < length || ++output->piece_count > PIECE_COUNT_MAX)
		longjmp(output->enough, 1);
}

static bool has_punycode(const char *name)
{
	for (; *name; name++)
		if (name[0] == 'u' && name[1] >= '0' && name[1] <= '9')
			return true;
	return false;
}

static bool is_rust_v0(const char *name)
{
	return strncmp(name, "_R", 2) == 0;
}

/* `_ZN...17h<16 hexadecimal digits>E`, perhaps with a suffix of the compiler behind it. */
static bool is_rust_legacy(const char *name)
{
	const char *hash = strstr(name, "17h");

	while (hash && strspn(hash + 3, "0123456789abcdef") != 16)
		hash = strstr(hash + 1, "17h");
	return hash && strncmp(name, "_ZN", 3) == 0 && hash[19] == 'E' &&
		(hash[20] == '\0' || hash[20] == '.');
}

static bool is_cpp(const char *name)
{
	return strncmp(name, "_Z", 2) == 0 || strncmp(name, "___Z", 4) == 0;
}

static bool is_d(const char *name)
{
	size_t references = 0;

	if (strncmp(name, "_D", 2) != 0 || strlen(name) > D_BYTES_MAX)
		return false;
	for (const char *at = name; *at; at++)
		references += *at == 'Q' ? 1 : 0;
	return references <= D_REFERENCE_COUNT_MAX;
}

static bool run_d(const char *name, struct output *output)
{
	char *text = dlang_demangle(name, DMGL_PARAMS);
	size_t length = text ? strlen(text) : 0;

	if (length > output->length_max)
		length = output->length_max;
	if (length > 0)
		memcpy(output->text, text, length);
	output->length = length;
	free(text);
	return length > 0;
}

/* Calls the demangler for NAME. False: it is none of its names. The recursion limit stays on. */
static bool run(const char *name, struct output *output)
{
	const int options = DMGL_PARAMS | DMGL_ANSI;

	if (is_d(name))
		return run_d(name, output);
	if (setjmp(output->enough))
		return true;
	if (is_rust_v0(name)) {
		if (has_punycode(name) && strchr(name, 'B'))
			return false;
		return rust_demangle_callback(name, DMGL_RUST, take_piece, output);
	}
	if (is_rust_legacy(name) && rust_demangle_callback(name, DMGL_RUST, take_piece, output))
		return true;
	output->length = 0;
	return is_cpp(name) && cplus_demangle_v3_callback(name, options, take_piece, output);
}

static void copy_cut(char *to, size_t to_bytes, const char *text, size_t length)
{
	bool cut = length >= to_bytes;

	if (cut)
		length = name_text_cut(text, length, to_bytes - 1 - ELLIPSIS_BYTES);
	memmove(to, text, length);
	if (cut) {
		memcpy(to + length, ELLIPSIS, ELLIPSIS_BYTES);
		length += ELLIPSIS_BYTES;
	}
	to[length] = '\0';
}

/* Where the last suffix of the first LENGTH letters begins if it is one that compilers hang behind the
 * name of a piece or a copy of a function; else LENGTH. The number behind it is part of it. */
static size_t suffix_start(const char *name, size_t length)
{
	static const struct {
		const char *text;
		bool numbered;
	} suffixes[] = {{".cold", false}, {".isra", true}, {".constprop", true}, {".part", true},
		{".llvm", true}, {".lto_priv", true}, {".abi0", false}, {".abiinternal", false}};
	size_t end = length;

	while (end > 0 && name[end - 1] >= '0' && name[end - 1] <= '9')
		end--;
	if (end == length || end == 0 || name[end - 1] != '.')
		end = length;
	else
		end--;
	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		size_t suffix_length = strlen(suffixes[i].text);

		if (suffixes[i].numbered && end == length)
			continue;
		/* Something must be left to be called by. */
		if (end > suffix_length &&
			memcmp(name + end - suffix_length, suffixes[i].text, suffix_length) == 0)
			return end - suffix_length;
	}
	return length;
}

/* Several may stand in a row: `f.part.0.cold`. */
static size_t length_without_suffixes(const char *name, size_t length)
{
	size_t start;

	while ((start = suffix_start(name, length)) < length)
		length = start;
	return length;
}

bool demangle(const char *name, char ret_text[DEMANGLED_BYTES_MAX])
{
	size_t name_length = length_without_suffixes(name, strnlen(name, MANGLED_BYTES_MAX + 1));
	/* One byte more than fits shows that the result was cut. */
	char text[DEMANGLED_BYTES_MAX + 1];
	char mangled[MANGLED_BYTES_MAX + 1];
	struct output output = {.text = text, .length_max = DEMANGLED_BYTES_MAX};
	bool demangled = false;

	if (name_length <= MANGLED_BYTES_MAX && name[0] == '_') {
		memcpy(mangled, name, name_length);
		mangled[name_length] = '\0';
		demangled = run(mangled, &output) && output.length > 0;
	}
	if (demangled)
		copy_cut(ret_text, DEMANGLED_BYTES_MAX, text, output.length);
	else
		copy_cut(ret_text, DEMANGLED_BYTES_MAX, name, name_length);
	name_text_mend(ret_text, strlen(ret_text));
	return demangled;
}
