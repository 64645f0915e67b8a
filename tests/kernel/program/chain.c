/* SPDX-License-Identifier: Apache-2.0 */
/* Runs for ever in chains of calls through 4096 small functions, without frame pointers: function N
 * calls (5 N + 7) % 4096, so that each stack tells whether it is right. Frames are of 13 sizes, and rbp
 * holds the address of a frame record that leads somewhere else.
 *
 * chain DEPTH SPIN: frames of a chain, and turns of a loop in its innermost function. Says where
 * function 0, the code that enters chains, and its end are. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* rdi: calls still to come, rsi: turns of the loop; both are used up. */
__asm__(".pushsection .text,\"ax\",@progbits\n"
	".balign 64\n"
	"chain_functions:\n"
	".set number, 0\n"
	".rept 4096\n"
	"	.balign 64\n"
	"	.cfi_startproc\n"
	"	sub $8 + 16 * (number % 13), %rsp\n"
	"	.cfi_adjust_cfa_offset 8 + 16 * (number % 13)\n"
	"	dec %rdi\n"
	"	jz 1f\n"
	"	call chain_functions + 64 * ((number * 5 + 7) % 4096)\n"
	"	jmp 2f\n"
	"1:	dec %rsi\n"
	"	jnz 1b\n"
	"2:	add $8 + 16 * (number % 13), %rsp\n"
	"	.cfi_adjust_cfa_offset -(8 + 16 * (number % 13))\n"
	"	ret\n"
	"	.cfi_endproc\n"
	"	.set number, number + 1\n"
	".endr\n"
	".balign 64\n"
	/* rdi, rsi as above; rdx: the number of the first function; rcx: a false frame record. */
	".globl chain_enter\n"
	"chain_enter:\n"
	"	.cfi_startproc\n"
	"	push %rbp\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	.cfi_rel_offset %rbp, 0\n"
	"	mov %rcx, %rbp\n"
	"	shl $6, %rdx\n"
	"	lea chain_functions(%rip), %rax\n"
	"	add %rdx, %rax\n"
	"	call *%rax\n"
	"	pop %rbp\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	.cfi_restore %rbp\n"
	"	ret\n"
	"	.cfi_endproc\n"
	"chain_end:\n"
	".popsection\n");

void chain_enter(uint64_t depth, uint64_t turns, uint64_t first, const void *record);
extern const char chain_functions[], chain_end[];

int main(int argc, char **argv)
{
	/* Far enough above any chain to pass for its caller's. */
	const void *record[4] = {&record[2], chain_end + 64, NULL, chain_end + 64};
	uint64_t depth = argc > 2 ? strtoul(argv[1], NULL, 10) : 0;
	uint64_t turns = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
	uint64_t state = 1;

	if (depth == 0 || turns == 0) {
		fprintf(stderr, "usage: chain DEPTH SPIN\n");
		return 2;
	}
	printf("%p %p %p\n", (const void *)chain_functions, (const void *)(uintptr_t)chain_enter,
		(const void *)chain_end);
	(void)fflush(stdout);
	for (;;) {
		state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
		chain_enter(depth, turns, state >> 52, record);
	}
}
