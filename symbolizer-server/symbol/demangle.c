/* SPDX-License-Identifier: Apache-2.0 */
/* libiberty writes its result in pieces to a callback. A crafted name of some hundred letters can
 * ask for gigabytes of result, so the callback leaves by longjmp once it has enough. That is
 * safe where the demangler holds no memory of the heap while it calls back: C++ names always, Rust
 * v0 names unless one of their identifiers is in punycode; names of that kind are left alone if
 * they could also grow without bound.
 */
#include "symbolizer-server/symbol/demangle.h"

#include <setjmp.h>
#include <stdint.h>
#include <string.h>

#include <libiberty/demangle.h>

#include "symbolizer-server/sandbox/name_text.h"

/* Work grows with the square of the length at worst; compilers write 10 KiB for the wildest
 * templates. */
#define MANGLED_BYTES_MAX (16u << 10)
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

/* Calls the demangler for NAME. False: it is none of its names. The recursion limit stays on. */
static bool run(const char *name, struct output *output)
{
	const int options = DMGL_PARAMS | DMGL_ANSI;

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

bool demangle(const char *name, char ret_text[DEMANGLED_BYTES_MAX])
{
	size_t name_length = strnlen(name, MANGLED_BYTES_MAX + 1);
	/* One byte more than fits shows that the result was cut. */
	char text[DEMANGLED_BYTES_MAX + 1];
	struct output output = {.text = text, .length_max = DEMANGLED_BYTES_MAX};
	bool demangled =
		name_length <= MANGLED_BYTES_MAX && run(name, &output) && output.length > 0;

	if (demangled)
		copy_cut(ret_text, DEMANGLED_BYTES_MAX, text, output.length);
	else
		copy_cut(ret_text, DEMANGLED_BYTES_MAX, name, name_length);
	name_text_mend(ret_text, strlen(ret_text));
	return demangled;
}
