/* SPDX-License-Identifier: MIT
 *
 * module_sites_library.c - a library with a system call of its own, for module_sites.c. It is built
 * several times, with another number in each. So one build fits exactly into the place of another.
 */
#include <sys/syscall.h>

__attribute__((visibility("default"))) long library_write(int fd, const void *bytes, long count);
__attribute__((visibility("default"))) extern const char library_call[];

#define TEXT(x) #x
#define NUMBER(x) TEXT(x)

/* Writes, and adds the library's number to the result. */
__asm__(".text\n"
        ".globl library_write, library_call\n"
        ".type library_write, @function\n"
        "library_write:\n"
        "    .cfi_startproc\n"
        "    mov $1, %eax\n"
        "library_call:\n"
        "    syscall\n"
        "    add $" NUMBER(LIBRARY_NUMBER) ", %rax\n"
                                           "    ret\n"
                                           "    .cfi_endproc\n"
                                           ".size library_write, . - library_write\n");
