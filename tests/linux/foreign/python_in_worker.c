/* SPDX-License-Identifier: MIT
 *
 * python_in_worker.c - a whole interpreter inside a worker: its processes, threads and files work
 * as in a plain program.
 */
#include "fleet.h"
#include "gtest_c.h"

#ifdef HAVE_PYTHON
#include <Python.h>

static const char script[] =
    "import os, signal, subprocess, sys, threading, time\n"
    "failed = []\n"
    "def check(what, found, wanted):\n"
    "    if found != wanted:\n"
    "        failed.append('%s: %r, not %r' % (what, found, wanted))\n"
    "none = 'SigBlk:\\t0000000000000000\\n'\n"
    "ask = ['grep', 'SigBlk:', '/proc/self/status']\n"
    "run = lambda what, **more: check(what, subprocess.run(ask, stdout=subprocess.PIPE, text=True,\n"
    "                                                     **more).stdout, none)\n"
    "run('Popen by vfork')\n"
    "run('Popen by fork', preexec_fn=lambda: None)\n"
    "run('Popen by posix_spawn', close_fds=False)\n"
    "check('os.popen', os.popen(' '.join(ask)).read(), none)\n"
    "check('os.system', os.system('test \"$(grep SigBlk: /proc/self/status)\" = '\n"
    "                             '\"$(printf \"SigBlk:\\\\t0000000000000000\")\"'), 0)\n"
    "child = subprocess.Popen(['sleep', '60'])\n"
    "child.terminate()\n"
    "check('terminate', child.wait(10), -signal.SIGTERM)\n"
    "def look():\n"
    "    with open('/proc/thread-self/status') as file:\n"
    "        lines = file.read().split('\\n')\n"
    "    check('mask of a thread', [l + '\\n' for l in lines if l.startswith('SigBlk:')], [none])\n"
    "    check('processors of a thread', len(os.sched_getaffinity(0)), processors)\n"
    "    os.write(ends[1], b'x')\n"
    "ends = os.pipe()\n"
    "thread = threading.Thread(target=look)\n"
    "thread.start()\n"
    "check('read', os.read(ends[0], 1), b'x')\n"
    "thread.join()\n"
    "sys.stderr.write('\\n'.join(failed))\n"
    "result = len(failed)\n";

static int processors;

static void interpret(struct worker *self)
{
    Py_InitializeEx(0);
    PyObject *dictionary = PyModule_GetDict(PyImport_AddModule("__main__"));
    PyObject *number = PyLong_FromLong(processors);
    PyDict_SetItemString(dictionary, "processors", number);
    Py_DECREF(number);
    EXPECT_EQ(PyRun_SimpleString(script), 0);
    PyObject *result = PyDict_GetItemString(dictionary, "result");
    EXPECT_THAT(result && PyLong_AsLong(result) == 0, "%ld checks failed",
                result ? PyLong_AsLong(result) : -1L);
    EXPECT_EQ(Py_FinalizeEx(), 0);
}

TEST(PythonInWorker, processes_threads_and_files)
{
    struct fleet *fleet = fleet_create(1, 1, 0);
    cpu_set_t set;

    ASSERT_NE(fleet, NULL);
    EXPECT_EQ(sched_getaffinity(0, sizeof set, &set), 0);
    processors = CPU_COUNT(&set);
    fleet_set_stack(fleet, 8 << 20);
    fleet_add(fleet, interpret, NULL);
    ASSERT_OK(fleet_run(fleet));
    fleet_destroy(fleet);
}

#else

TEST(PythonInWorker, processes_threads_and_files)
{
    SKIP("built without Python's development files (Debian: python3-dev)");
}

#endif
