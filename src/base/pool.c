#include "base/pool.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/mem.h"

/* One call of frz_pool_run, on its stack. Everything below `pool->lock`. */
typedef struct batch {
    frz_pool_job job;
    void *context;
    size_t count;
    size_t next;    /* first index nobody has taken */
    size_t running; /* jobs that were taken and have not ended */
    size_t failed;  /* lowest index that failed; SIZE_MAX = none */
    frz_status status;
    frz_error *err;
} batch;

struct frz_pool {
    pthread_mutex_t turn; /* held by the one caller of frz_pool_run at work */
    pthread_mutex_t lock;
    pthread_cond_t work;  /* workers wait for a batch, or for the end */
    pthread_cond_t ended; /* the caller waits for running jobs */
    batch *current;       /* NULL between runs */
    bool stopping;
    size_t worker_count;
    pthread_t workers[];
};

enum { THREADS_MAX = 256 };

static bool has_job(const batch *jobs)
{
    return jobs && jobs->failed == SIZE_MAX && jobs->next < jobs->count;
}

/* Runs one job of `jobs` without the lock, which is held before and after. */
static void run_one(frz_pool *pool, batch *jobs)
{
    const size_t index = jobs->next++;
    jobs->running++;
    (void)pthread_mutex_unlock(&pool->lock);
    frz_error *err = NULL;
    const frz_status status = jobs->job(jobs->context, index, &err);
    (void)pthread_mutex_lock(&pool->lock);
    if (status != FRZ_OK && index < jobs->failed) {
        jobs->failed = index;
        jobs->status = status;
        frz_error *worse = jobs->err;
        jobs->err = err;
        err = worse;
    }
    frz_error_free(err);
    if (--jobs->running == 0)
        (void)pthread_cond_signal(&pool->ended);
}

static void *work(void *self)
{
    frz_pool *pool = self;
    (void)pthread_mutex_lock(&pool->lock);
    while (!pool->stopping) {
        if (has_job(pool->current))
            run_one(pool, pool->current);
        else
            (void)pthread_cond_wait(&pool->work, &pool->lock);
    }
    (void)pthread_mutex_unlock(&pool->lock);
    return NULL;
}

static size_t processor_count(void)
{
    const long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (size_t)online : 1;
}

frz_status frz_pool_new(size_t threads, frz_pool **out, frz_error **err)
{
    if (threads == 0)
        threads = processor_count();
    if (threads > THREADS_MAX)
        threads = THREADS_MAX;
    frz_pool *pool = frz_alloc_zero(sizeof *pool + (threads - 1) * sizeof pool->workers[0]);
    if (!pool)
        return frz_fail_memory(err);
    (void)pthread_mutex_init(&pool->turn, NULL); /* these four cannot fail on Linux */
    (void)pthread_mutex_init(&pool->lock, NULL);
    (void)pthread_cond_init(&pool->work, NULL);
    (void)pthread_cond_init(&pool->ended, NULL);
    /* A system that refuses more threads gets a smaller pool: the caller always helps. */
    while (pool->worker_count < threads - 1 &&
           pthread_create(&pool->workers[pool->worker_count], NULL, work, pool) == 0)
        pool->worker_count++;
    *out = pool;
    return FRZ_OK;
}

void frz_pool_free(frz_pool *pool)
{
    if (!pool)
        return;
    (void)pthread_mutex_lock(&pool->lock);
    pool->stopping = true;
    (void)pthread_cond_broadcast(&pool->work);
    (void)pthread_mutex_unlock(&pool->lock);
    for (size_t i = 0; i < pool->worker_count; i++)
        (void)pthread_join(pool->workers[i], NULL);
    (void)pthread_cond_destroy(&pool->ended);
    (void)pthread_cond_destroy(&pool->work);
    (void)pthread_mutex_destroy(&pool->lock);
    (void)pthread_mutex_destroy(&pool->turn);
    frz_free(pool);
}

size_t frz_pool_threads(const frz_pool *pool)
{
    return pool ? pool->worker_count + 1 : 1;
}

static frz_status run_alone(size_t count, frz_pool_job job, void *context, frz_error **err)
{
    for (size_t i = 0; i < count; i++)
        FRZ_TRY(job(context, i, err));
    return FRZ_OK;
}

frz_status frz_pool_run(frz_pool *pool, size_t count, frz_pool_job job, void *context,
                        frz_error **err)
{
    if (!pool || pool->worker_count == 0 || count <= 1)
        return run_alone(count, job, context, err);

    batch jobs = {.job = job, .context = context, .count = count, .failed = SIZE_MAX};
    (void)pthread_mutex_lock(&pool->turn);
    (void)pthread_mutex_lock(&pool->lock);
    pool->current = &jobs;
    (void)pthread_cond_broadcast(&pool->work);
    while (has_job(&jobs))
        run_one(pool, &jobs);
    while (jobs.running > 0)
        (void)pthread_cond_wait(&pool->ended, &pool->lock);
    pool->current = NULL;
    (void)pthread_mutex_unlock(&pool->lock);
    (void)pthread_mutex_unlock(&pool->turn);

    if (err && !*err)
        *err = jobs.err;
    else
        frz_error_free(jobs.err);
    return jobs.status;
}
