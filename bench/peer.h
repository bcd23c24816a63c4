/*
 * A peer: a Python process (bench/peers.py) that does one piece of work each time it is asked to,
 * and says how long it took. So a peer takes turns with us within one run, warm as we are.
 *
 * The interpreter is $FRAZIL_PEERS_PYTHON, else test/interop/.peers/python/bin/python; without
 * either there is no peer, and its lines are left out.
 */
#ifndef FRZ_BENCH_PEER_H
#define FRZ_BENCH_PEER_H

#include "measure.h"

typedef struct bench_peer bench_peer;

/* Starts `peers.py WORK ARGUMENTS...` (NULL ends them) and waits until it is ready; NULL when there
 * is no interpreter or it has not the packages. What it cannot do ends this program. */
bench_peer *bench_peer_start(const char *work, ...);

/* Accepts NULL. */
void bench_peer_stop(bench_peer *peer);

/* As a side of a comparison: its name tells the version. No `run` when `peer` is NULL. */
bench_side bench_peer_side(bench_peer *peer, double target);

/* What the peer said when it had started, e.g. where a file is that it wrote. */
const char *bench_peer_answer(const bench_peer *peer);

/* NULL when there is none. */
const char *bench_peer_interpreter(void);

#endif
