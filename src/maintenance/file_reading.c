#include "maintenance/file_reading.h"

#include "base/fail.h"
#include "base/mem.h"

frz_status frz_file_failed(const frz_file_reading *self, frz_rule rule, frz_status status,
                           frz_error **cause, frz_error **err)
{
    if (!frz_file_is_new(self) && frz_is_finding(status)) {
        frz_error_free(*cause);
        *cause = NULL;
        return FRZ_OK;
    }
    return frz_report_failure(self->job->verification.report, rule, &self->place, status, cause,
                              err);
}

static frz_status make_reading(frz_file_reading *reading, frz_error **err)
{
    switch (frz_entry_kind_of(&reading->entry->file)) {
    case FRZ_KIND_DATA:
    case FRZ_KIND_EQUALITY_DELETES:
        return frz_verify_rows(reading, err);
    case FRZ_KIND_POSITION_DELETES:
        return frz_verify_positions(reading, err);
    case FRZ_KIND_VECTOR:
    case FRZ_KIND_COUNT:
        break;
    }
    return frz_verify_vector(reading, err);
}

static frz_status run_job(void *context, size_t index, frz_error **err)
{
    frz_reading_job *job = (frz_reading_job *)context + index;
    for (size_t i = 0; i < job->count; i++)
        FRZ_TRY(make_reading(&job->readings[i], err));
    return FRZ_OK;
}

/* Whether a reading is of the Puffin file of the one before, whose footer need not be read again.
 */
static bool continues(const frz_file_reading *before, const frz_file_reading *reading)
{
    return frz_entry_kind_of(&before->entry->file) == FRZ_KIND_VECTOR &&
           frz_entry_kind_of(&reading->entry->file) == FRZ_KIND_VECTOR &&
           frz_slice_equal(before->entry->file.path, reading->entry->file.path);
}

static frz_status open_jobs(frz_contents *contents, frz_file_reading *readings, size_t count,
                            frz_reading_job *jobs, size_t *job_count, frz_error **err)
{
    const frz_verification *verification = contents->verification;
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || !continues(&readings[i - 1], &readings[i])) {
            frz_reading_job *job = &jobs[(*job_count)++];
            *job = (frz_reading_job){.contents = contents,
                                     .verification = *verification,
                                     .ledger = {.verification = &job->verification,
                                                .pass = contents->ledger->pass,
                                                .pass_count = contents->ledger->pass_count},
                                     .readings = &readings[i]};
            job->verification.report = NULL;
            FRZ_TRY(frz_report_new(verification->report->finding_limit, &job->verification.report,
                                   err));
        }
        readings[i].job = &jobs[*job_count - 1];
        readings[i].job->count++;
    }
    return FRZ_OK;
}

static frz_status take_job(frz_contents *contents, const frz_reading_job *job, frz_error **err)
{
    FRZ_TRY(frz_report_take(contents->verification->report, job->verification.report, err));
    for (size_t i = 0; i < job->ledger.position_count; i++) {
        const frz_ledger_position *at = &job->ledger.positions[i];
        FRZ_TRY(frz_ledger_add_position(contents->ledger, at->key, at->last, &at->at, err));
    }
    return FRZ_OK;
}

static void close_job(frz_reading_job *job)
{
    frz_verify_report_free(job->verification.report);
    frz_ledger_clear(&job->ledger);
    frz_arena_clear(&job->puffin.arena);
}

frz_status frz_readings_make(frz_contents *contents, frz_file_reading *readings, size_t count,
                             frz_error **err)
{
    size_t job_count = 0;
    if (count == 0)
        return FRZ_OK;
    frz_reading_job *jobs = frz_alloc_array(count, sizeof *jobs);
    if (!jobs)
        return frz_fail_memory(err);
    frz_status status = open_jobs(contents, readings, count, jobs, &job_count, err);
    if (status == FRZ_OK)
        status = frz_pool_run(contents->pool, job_count, run_job, jobs, err);
    for (size_t i = 0; i < job_count; i++) {
        if (status == FRZ_OK)
            status = take_job(contents, &jobs[i], err);
        close_job(&jobs[i]);
    }
    frz_free(jobs);
    return status;
}
