/* SPDX-License-Identifier: MIT
 *
 * host_names.c - names of hosts, services and protocols, for the calls of Winsock 1.1, by libc's
 * resolver. Each thread has memory of its own for the last answer of each kind.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "winapi/linux/socket.h"

enum { ROOM = 8192 }; /* MAXGETHOSTSTRUCT is 1024 */

/* The last answers that a thread got. */
struct answers {
    struct hostent host;
    struct servent service;
    struct protoent protocol;
    char host_text[ROOM], service_text[ROOM], protocol_text[ROOM];
};

static pthread_key_t key;
static pthread_once_t key_made = PTHREAD_ONCE_INIT;
static int key_failure;

static void make_key(void)
{
    key_failure = pthread_key_create(&key, free);
}

/* NULL with the last error: the program has not started Winsock, or there is no memory. */
static struct answers *own_answers(void)
{
    struct answers *mine = NULL;
    if (!win__winsock_started())
        return NULL;
    pthread_once(&key_made, make_key);
    if (!key_failure)
        mine = pthread_getspecific(key);
    if (!key_failure && !mine) {
        mine = malloc(sizeof *mine);
        if (mine && pthread_setspecific(key, mine)) {
            free(mine);
            mine = NULL;
        }
    }
    if (!mine)
        win__fail(WSAENOBUFS);
    return mine;
}

static void *refuse(DWORD error)
{
    win__fail(error);
    return NULL;
}

static DWORD resolver_error(int failure, int host_error)
{
    if (failure == ERANGE)
        return WSAENOBUFS;
    switch (host_error) {
    case TRY_AGAIN:
        return WSATRY_AGAIN;
    case NO_RECOVERY:
        return WSANO_RECOVERY;
    case NO_DATA:
        return WSANO_DATA;
    default:
        return WSAHOST_NOT_FOUND;
    }
}

int umsshim_ws_gethostname(char *name, int namelen)
{
    char whole[256];
    if (!win__winsock_started())
        return SOCKET_ERROR;
    if (gethostname(whole, sizeof whole))
        return win__winsock_fail(win__winsock_error(errno));
    whole[sizeof whole - 1] = 0;
    if (!name || namelen < 0 || (size_t)namelen < strlen(whole) + 1)
        return win__winsock_fail(WSAEFAULT);
    strcpy(name, whole);
    return 0;
}

struct hostent *umsshim_ws_gethostbyname(const char *name)
{
    char own[256] = "";
    struct answers *mine = own_answers();
    if (!mine)
        return NULL;
    if (!name || !*name) { /* an empty name: this machine */
        if (umsshim_ws_gethostname(own, sizeof own))
            return NULL;
        name = own;
    }
    struct hostent *found = NULL;
    int host_error = 0;
    int failure = gethostbyname_r(name, &mine->host, mine->host_text, ROOM, &found, &host_error);
    return found ? found : refuse(resolver_error(failure, host_error));
}

struct hostent *umsshim_ws_gethostbyaddr(const char *addr, int len, int type)
{
    struct answers *mine = own_answers();
    if (!mine)
        return NULL;
    if (type != AF_INET && type != AF_INET6)
        return refuse(WSAEAFNOSUPPORT);
    if (!addr || len < (type == AF_INET ? 4 : 16))
        return refuse(WSAEFAULT);
    struct hostent *found = NULL;
    int host_error = 0;
    int failure = gethostbyaddr_r(addr, (socklen_t)len, type, &mine->host, mine->host_text, ROOM,
                                  &found, &host_error);
    return found ? found : refuse(resolver_error(failure, host_error));
}

struct servent *umsshim_ws_getservbyname(const char *name, const char *proto)
{
    struct answers *mine = own_answers();
    struct servent *found = NULL;
    if (!mine)
        return NULL;
    if (!name)
        return refuse(WSANO_DATA);
    getservbyname_r(name, proto, &mine->service, mine->service_text, ROOM, &found);
    return found ? found : refuse(WSANO_DATA);
}

struct servent *umsshim_ws_getservbyport(int port, const char *proto)
{
    struct answers *mine = own_answers();
    struct servent *found = NULL;
    if (!mine)
        return NULL;
    getservbyport_r(port, proto, &mine->service, mine->service_text, ROOM, &found);
    return found ? found : refuse(WSANO_DATA);
}

struct protoent *umsshim_ws_getprotobyname(const char *name)
{
    struct answers *mine = own_answers();
    struct protoent *found = NULL;
    if (!mine)
        return NULL;
    if (!name)
        return refuse(WSANO_DATA);
    getprotobyname_r(name, &mine->protocol, mine->protocol_text, ROOM, &found);
    return found ? found : refuse(WSANO_DATA);
}

struct protoent *umsshim_ws_getprotobynumber(int number)
{
    struct answers *mine = own_answers();
    struct protoent *found = NULL;
    if (!mine)
        return NULL;
    getprotobynumber_r(number, &mine->protocol, mine->protocol_text, ROOM, &found);
    return found ? found : refuse(WSANO_DATA);
}
