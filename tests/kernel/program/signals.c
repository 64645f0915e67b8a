/* SPDX-License-Identifier: Apache-2.0 */
/* Runs for ever, mostly in a signal handler that returns through code without call frame information,
 * as musl's and Go's do, out of assembler that has frame pointers and nothing else. */
#include <signal.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#define RESTORER 0x04000000

/* As the kernel takes it. */
struct kernel_action {
	void (*handler)(int);
	unsigned long flags;
	void (*restorer)(void);
	unsigned long mask;
};

void signals_restore(void);
uint64_t signals_spin(uint64_t count);

/* Each function is in a section of its own, which the linker puts where the test looks for it. */
__asm__(".pushsection text_restore,\"ax\",@progbits\n"
	"	nop\n"
	"signals_restore:\n"
	"	mov $15, %rax\n"
	"	syscall\n"
	".popsection\n"
	".pushsection text_spin,\"ax\",@progbits\n"
	"signals_spin:\n"
	"	push %rbp\n"
	"	mov %rsp, %rbp\n"
	"	sub $32, %rsp\n"
	"1:	call signals_call\n"
	"	dec %rdi\n"
	"	jnz 1b\n"
	"	leave\n"
	"	ret\n"
	".popsection\n"
	/* So short that it is met without its frame as often as with it. */
	".pushsection text_call,\"ax\",@progbits\n"
	"signals_call:\n"
	"	push %rbp\n"
	"	mov %rsp, %rbp\n"
	"	pop %rbp\n"
	"	ret\n"
	".popsection\n");

static volatile uint64_t sink;

static __attribute__((section("text_handle"))) void on_signal(int number)
{
	for (int i = 0; i < 100000; i++)
		sink = sink * 31 + (uint64_t)number;
}

__attribute__((section("text_main"))) int main(void)
{
	struct kernel_action action = {
		.handler = on_signal, .flags = RESTORER | SA_RESTART, .restorer = signals_restore};
	struct itimerval often = {{0, 1000}, {0, 1000}};

	if (syscall(SYS_rt_sigaction, SIGPROF, &action, NULL, 8) != 0 ||
		setitimer(ITIMER_PROF, &often, NULL) != 0)
		return 1;
	for (;;)
		signals_spin(10000);
}
