/* SPDX-License-Identifier: MIT
 *
 * memory.c - mappings, locks in memory, shared memory objects.
 */
#include "assertion.h"

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

static char *page;
static sigjmp_buf back;
static siginfo_t seen;

static void on_fault(int sig, siginfo_t *info, void *unused)
{
    seen = *info;
    siglongjmp(back, sig);
}

static void catch (int sig)
{
    struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};
    EXPECT_EQ(sigaction(sig, &action, NULL), 0);
}

ASSERTION(a_write_to_a_read_only_page_is_sigsegv)
{
    page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    EXPECT(page != MAP_FAILED);
    catch (SIGSEGV);
    for (volatile int i = 0; i < 3; i++) { /* the mask is restored each time */
        int sig = sigsetjmp(back, 1);
        if (!sig) {
            *(volatile char *)page = 1;
            EXPECT(!"the write was made");
        }
        EXPECT_EQ(sig, SIGSEGV);
        EXPECT(seen.si_addr == page);
        EXPECT_EQ(seen.si_code, SEGV_ACCERR);
    }
}

ASSERTION(behind_the_end_of_a_file_is_sigbus)
{
    char name[] = "/tmp/posix-XXXXXX";
    int fd = mkstemp(name);
    EXPECT(fd >= 0);
    unlink(name);
    page = mmap(NULL, 8192, PROT_READ, MAP_SHARED, fd, 0);
    EXPECT(page != MAP_FAILED);
    catch (SIGBUS);
    int sig = sigsetjmp(back, 1);
    if (!sig) {
        (void)*(volatile char *)page;
        EXPECT(!"the read was made");
    }
    EXPECT_EQ(sig, SIGBUS);
}

/* The kernel chooses places near the stacks: so another thread's mmap, as libc makes for each new
 * thread, does not come by this one. */
static char *const far_away = (char *)(1UL << 45);

ASSERTION(after_munmap_nothing_is_there)
{
    page = mmap(far_away, 4096, PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    EXPECT(page == far_away);
    page[0] = 1;
    EXPECT_EQ(munmap(page, 4096), 0);
    catch (SIGSEGV);
    if (!sigsetjmp(back, 1)) {
        page[0] = 2;
        EXPECT(!"the write was made");
    }
    EXPECT_EQ(seen.si_code, SEGV_MAPERR);
}

ASSERTION(mmap_errors)
{
    EXPECT_ERRNO((long)mmap(NULL, 0, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), EINVAL);
    EXPECT_ERRNO((long)mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, -1, 0), EBADF);
    EXPECT_ERRNO((long)mmap(NULL, 4096, PROT_READ, MAP_ANONYMOUS, -1, 0), EINVAL);
    EXPECT_ERRNO(munmap((void *)1, 4096), EINVAL);
    EXPECT_ERRNO(msync((void *)1, 4096, MS_SYNC), EINVAL);
}

ASSERTION(a_shared_mapping_reaches_the_file_and_a_child)
{
    char name[] = "/tmp/posix-XXXXXX", byte = 0;
    int status, fd = mkstemp(name);
    EXPECT(fd >= 0);
    EXPECT_EQ(ftruncate(fd, 4096), 0);
    page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    EXPECT(page != MAP_FAILED);
    pid_t child = fork();
    if (child == 0) {
        page[7] = 'x';
        _exit(msync(page, 4096, MS_SYNC) ? 1 : 0);
    }
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    EXPECT_EQ(pread(fd, &byte, 1, 7), 1);
    EXPECT_EQ(byte, 'x');
    unlink(name);
}

ASSERTION(memory_is_locked_and_unlocked)
{
    struct rlimit limit;
    getrlimit(RLIMIT_MEMLOCK, &limit);
    page = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mlock(page, 8192))
        SKIP("no memory may be locked");
    EXPECT_EQ(munlock(page, 8192), 0);
    EXPECT_ERRNO(mlock((void *)4096, 4096), ENOMEM);
    EXPECT_ERRNO(mlockall(0), EINVAL);
    EXPECT_EQ(munlockall(), 0);
    if (geteuid() == 0) {
        EXPECT_EQ(mlockall(MCL_CURRENT), 0);
        EXPECT_EQ(munlockall(), 0);
    }
}

ASSERTION(a_shared_memory_object_has_a_name)
{
    char name[64];
    struct stat st;
    snprintf(name, sizeof name, "/posix-%d", getpid());
    EXPECT_ERRNO(shm_open(name, O_RDWR, 0600), ENOENT);
    int fd = shm_open(name, O_RDWR | O_CREAT | O_EXCL, 0600);
    EXPECT(fd >= 0);
    EXPECT_ERRNO(shm_open(name, O_RDWR | O_CREAT | O_EXCL, 0600), EEXIST);
    EXPECT_EQ(fstat(fd, &st), 0);
    EXPECT_EQ(st.st_size, 0);
    EXPECT_EQ(ftruncate(fd, 4096), 0);
    page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    EXPECT(page != MAP_FAILED);
    page[1] = 3;
    EXPECT_EQ(shm_unlink(name), 0);
    EXPECT_ERRNO(shm_unlink(name), ENOENT);
    EXPECT_EQ(page[1], 3);
}
