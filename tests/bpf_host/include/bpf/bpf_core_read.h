/* SPDX-License-Identifier: Apache-2.0 */
/* CO-RE, as plain C: found instead of libbpf's when the BPF sources are built for tests.
 *
 * What it is   our subset of the kernel's structures stands for the kernel's own; a read through a
 *              null pointer gives zero, as a failed read does in the kernel.
 * Ownership    nothing is kept.
 * Threads      one.
 * Errors       none.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Whether the test's kernel has the value NAME of an enum. */
bool host_has_enum_value(const char *name);

/* NUMBER keeps the names of nested reads apart. */
#define HOST_READ(number, source, field)                                                    \
	__extension__({                                                                     \
		__typeof__(source) read_##number = (source);                                \
		read_##number ? read_##number->field : (__typeof__(read_##number->field))0; \
	})
#define HOST_READ1(source, a) HOST_READ(1, source, a)
#define HOST_READ2(source, a, b) HOST_READ(2, HOST_READ1(source, a), b)
#define HOST_READ3(source, a, b, c) HOST_READ(3, HOST_READ2(source, a, b), c)
#define HOST_CHOOSE(a, b, c, chosen, ...) chosen
#define BPF_CORE_READ(source, ...) \
	HOST_CHOOSE(__VA_ARGS__, HOST_READ3, HOST_READ2, HOST_READ1, )(source, __VA_ARGS__)

#define bpf_core_type_exists(type) 1
#define bpf_core_field_size(type, field) sizeof(((type *)0)->field)
#define bpf_core_field_offset(type, field) offsetof(type, field)
#define bpf_core_enum_value_exists(type, value) host_has_enum_value(#value)
#define bpf_core_enum_value(type, value) (value)
