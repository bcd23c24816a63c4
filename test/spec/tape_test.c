#include "spec/tape.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"

static void put(frz_tape **tape, size_t size, const char *more)
{
    void *at = frz_tape_extend(tape, size, strlen(more));
    CHECK(at != NULL || frz_mem_failed());
    if (at)
        memcpy(at, more, strlen(more));
}

static bool holds(const frz_tape *tape, const char *text)
{
    return memcmp(frz_tape_bytes(tape), text, strlen(text)) == 0;
}

static void the_end_is_extended_in_place(void **state)
{
    frz_tape *tape = NULL;
    (void)state;
    CHECK(frz_tape_bytes(NULL) == NULL);
    put(&tape, 0, "ab");
    frz_tape *const first = tape;
    put(&tape, 2, "cd");
    CHECK(tape == first && holds(tape, "abcd"));
    frz_tape_unref(tape);
}

static void another_end_is_a_copy(void **state)
{
    frz_tape *one = NULL;
    (void)state;
    put(&one, 0, "ab");
    frz_tape *other = frz_tape_ref(one);
    put(&one, 2, "cd");
    put(&other, 2, "xy");
    CHECK(one != other && holds(one, "abcd") && holds(other, "abxy"));
    frz_tape *early = frz_tape_ref(one);
    put(&early, 1, "z"); /* from the middle: what is behind belongs to others */
    CHECK(holds(early, "az") && holds(one, "abcd"));
    frz_tape_unref(one);
    frz_tape_unref(other);
    frz_tape_unref(early);
}

static void one_that_is_full_moves(void **state)
{
    frz_tape *tape = NULL;
    char text[2001] = "";
    (void)state;
    for (int i = 0; i < 1000; i++) {
        char two[3];
        (void)snprintf(two, sizeof two, "%02d", i % 100);
        put(&tape, (size_t)i * 2, two);
        memcpy(text + (size_t)i * 2, two, 3);
    }
    CHECK(holds(tape, text));
    CHECK(frz_tape_extend(&tape, 4, SIZE_MAX - 3) == NULL && holds(tape, text));
    frz_tape_unref(tape);
}

static void extend_once(void)
{
    frz_tape *tape = NULL;
    put(&tape, 0, "ab");
    frz_tape *shared = frz_tape_ref(tape);
    if (tape)
        put(&tape, 1, "c"); /* a copy; the old one stays when there is none */
    CHECK(!shared || holds(shared, "ab"));
    frz_tape_unref(shared);
    frz_tape_unref(tape);
}

static void survives_short_memory(void **state)
{
    (void)state;
    sweep_allocation_failures(extend_once);
}

enum { EXTENDERS = 4 };

static void *extend_own(void *context)
{
    frz_tape **tape = context;
    char *at = frz_tape_extend(tape, 1, 8);
    if (at)
        memset(at, 'a' + (int)((uintptr_t)context / sizeof(void *) % 26), 8);
    return NULL;
}

/* Of those who go on from the same end at once, one does so in place. */
static void extends_in_threads(void **state)
{
    frz_tape *tapes[EXTENDERS] = {0};
    pthread_t threads[EXTENDERS];
    size_t in_place = 0;
    (void)state;
    put(&tapes[0], 0, "-");
    frz_tape *const base = tapes[0];
    for (int i = 1; i < EXTENDERS; i++)
        tapes[i] = frz_tape_ref(base);
    for (int i = 0; i < EXTENDERS; i++)
        CHECK(pthread_create(&threads[i], NULL, extend_own, &tapes[i]) == 0);
    for (int i = 0; i < EXTENDERS; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
    for (int i = 0; i < EXTENDERS; i++) {
        const char *bytes = frz_tape_bytes(tapes[i]);
        in_place += tapes[i] == base;
        CHECK(bytes[0] == '-' && bytes[1] == bytes[8]);
        CHECK(bytes[1] == 'a' + (int)((uintptr_t)&tapes[i] / sizeof(void *) % 26));
        frz_tape_unref(tapes[i]);
    }
    CHECK(in_place == 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_end_is_extended_in_place), cmocka_unit_test(another_end_is_a_copy),
        cmocka_unit_test(one_that_is_full_moves),       cmocka_unit_test(survives_short_memory),
        cmocka_unit_test(extends_in_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
