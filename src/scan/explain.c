/*
 * The public view of a plan: the funnel and its files, as JSON or as text for people.
 */
#include "frazil/scan.h"

#include <inttypes.h>

#include "base/fail.h"
#include "base/mem.h"
#include "json/writer.h"
#include "scan/increment.h"
#include "scan/plan_depth.h"
#include "scan/plan_object.h"

static void write_level(const frz_funnel_level *level, frz_json_writer *json)
{
    frz_json_open_object(json);
    frz_json_key(json, "level");
    frz_json_string(json, level->level);
    frz_json_key(json, "considered");
    frz_json_i64(json, level->considered);
    frz_json_key(json, "kept");
    frz_json_i64(json, level->kept);
    frz_json_key(json, "dropped");
    frz_json_open_object(json);
    for (size_t i = 0; i < FRZ_FUNNEL_REASONS_MAX && level->dropped[i].reason; i++) {
        frz_json_key(json, level->dropped[i].reason);
        frz_json_i64(json, level->dropped[i].count);
    }
    frz_json_close_object(json);
    frz_json_key(json, "saved_bytes");
    frz_json_open_object(json);
    for (size_t i = 0; i < FRZ_FUNNEL_REASONS_MAX; i++) {
        if (!level->dropped[i].bytes)
            continue;
        frz_json_key(json, level->dropped[i].reason);
        frz_json_i64(json, level->dropped[i].bytes);
    }
    frz_json_close_object(json);
    frz_json_close_object(json);
}

static void write_delete(const frz_plan_delete *delete, frz_json_writer *json)
{
    frz_json_open_object(json);
    frz_json_key(json, "path");
    frz_json_string(json, delete->path);
    frz_json_key(json, "content");
    frz_json_i64(json, delete->content);
    frz_json_key(json, "offset");
    if (delete->offset >= 0)
        frz_json_i64(json, delete->offset);
    else
        frz_json_null(json);
    frz_json_key(json, "size");
    if (delete->size >= 0)
        frz_json_i64(json, delete->size);
    else
        frz_json_null(json);
    frz_json_close_object(json);
}

static void write_file(const frz_plan_file *file, frz_json_writer *json)
{
    frz_json_open_object(json);
    frz_json_key(json, "path");
    frz_json_string(json, file->path);
    frz_json_key(json, "record_count");
    frz_json_i64(json, file->record_count);
    frz_json_key(json, "deletes");
    frz_json_open_array(json);
    for (size_t i = 0; i < file->delete_count; i++)
        write_delete(&file->deletes[i], json);
    for (size_t i = 0; i < file->equality_delete_count; i++)
        write_delete(&file->equality_deletes[i], json);
    frz_json_close_array(json);
    frz_json_key(json, "residual");
    frz_json_string(json, file->residual);
    frz_json_close_object(json);
}

static void explain_json(const frz_plan *plan, const frz_plan_depth *depth, frz_buffer *out)
{
    frz_json_writer json = frz_json_writer_to(out, 2);
    frz_json_open_object(&json);
    frz_json_key(&json, "snapshot_id");
    if (plan->scan->snapshot)
        frz_json_i64(&json, plan->scan->snapshot->snapshot_id);
    else
        frz_json_null(&json);
    if (plan->scan->increment) {
        frz_json_key(&json, "from_snapshot_id");
        frz_json_i64(&json, plan->scan->increment->from_snapshot_id);
    }
    frz_json_key(&json, "levels");
    frz_json_open_array(&json);
    for (size_t i = 0; i < FRZ_FUNNEL_COUNT; i++)
        write_level(&plan->funnel[i], &json);
    write_level(&depth->groups, &json);
    write_level(&depth->pages, &json);
    write_level(&depth->deletes, &json);
    frz_json_close_array(&json);
    frz_json_key(&json, "bytes");
    frz_json_i64(&json, depth->bytes);
    frz_json_key(&json, "deletes_left_out_by_path");
    frz_json_i64(&json, depth->deletes_left_out);
    frz_json_key(&json, "ignored_page_indexes");
    frz_json_i64(&json, depth->ignored_indexes);
    frz_json_key(&json, "files");
    frz_json_open_array(&json);
    for (size_t i = 0; i < plan->task_count; i++)
        write_file(&plan->files[i], &json);
    frz_json_close_array(&json);
    frz_json_close_object(&json);
    frz_buffer_append_byte(out, '\n');
}

static void print_level(const frz_funnel_level *level, const char *what, frz_buffer *out)
{
    frz_buffer_printf(out, "%-14s %10" PRId64 " considered %10" PRId64 " kept", level->level,
                      level->considered, level->kept);
    for (size_t i = 0; i < FRZ_FUNNEL_REASONS_MAX && level->dropped[i].reason; i++) {
        frz_buffer_printf(out, "%s %" PRId64 " by %s",
                          i ? "," : "   dropped:", level->dropped[i].count,
                          level->dropped[i].reason);
        if (level->dropped[i].bytes)
            frz_buffer_printf(out, " (%" PRId64 " bytes)", level->dropped[i].bytes);
    }
    frz_buffer_printf(out, "   (%s)\n", what);
}

static void print_file(const frz_plan_file *file, frz_buffer *out)
{
    frz_buffer_printf(out, "  %s  %" PRId64 " rows", file->path, file->record_count);
    if (strcmp(file->residual, "TRUE") != 0)
        frz_buffer_printf(out, "  where %s", file->residual);
    frz_buffer_append_byte(out, '\n');
    for (size_t i = 0; i < file->delete_count; i++) {
        const frz_plan_delete *delete = &file->deletes[i];
        if (delete->offset >= 0)
            frz_buffer_printf(out, "    deletion vector %s at %" PRId64 ", %" PRId64 " bytes\n",
                              delete->path, delete->offset, delete->size);
        else
            frz_buffer_printf(out, "    position deletes %s\n", delete->path);
    }
    for (size_t i = 0; i < file->equality_delete_count; i++)
        frz_buffer_printf(out, "    equality deletes %s\n", file->equality_deletes[i].path);
}

static void explain_text(const frz_plan *plan, const frz_plan_depth *depth, frz_buffer *out)
{
    if (plan->scan->snapshot)
        frz_buffer_printf(out, "snapshot %" PRId64 "\n", plan->scan->snapshot->snapshot_id);
    else
        frz_buffer_append_text(out, "no snapshot: the table is empty\n");
    print_level(&plan->funnel[FRZ_FUNNEL_MANIFEST_LIST], "data manifests by partition summaries",
                out);
    print_level(&plan->funnel[FRZ_FUNNEL_MANIFEST], "files by partition values", out);
    print_level(&plan->funnel[FRZ_FUNNEL_FILE], "files by column bounds", out);
    print_level(&depth->groups, "row groups by what is known of their columns", out);
    print_level(&depth->pages, "pages of the columns to read, where a filter is left", out);
    print_level(&depth->deletes, "delete files by scope and sequence", out);
    frz_buffer_printf(out, "delete files found: %zu\nbytes to read: %" PRId64 "\n",
                      plan->delete_count, depth->bytes);
    if (depth->deletes_left_out)
        frz_buffer_printf(out,
                          "position deletes left out by their bounds of file_path: %" PRId64
                          " pairs with data files\n",
                          depth->deletes_left_out);
    if (depth->ignored_indexes)
        frz_buffer_printf(out,
                          "warning: %" PRId64 " page indexes contradict their column chunks, which "
                          "are read without them\n",
                          depth->ignored_indexes);
    for (size_t i = 0; i < plan->task_count; i++)
        print_file(&plan->files[i], out);
}

frz_status frz_plan_explain(const frz_plan *plan, bool json, char **out, frz_error **err)
{
    frz_buffer text = {0};
    frz_plan_depth depth = {0};
    FRZ_TRY(frz_plan_look_inside(plan, &depth, err));
    if (json)
        explain_json(plan, &depth, &text);
    else
        explain_text(plan, &depth, &text);
    frz_buffer_append_byte(&text, 0);
    if (text.failed) {
        frz_buffer_clear(&text);
        return frz_fail_memory(err);
    }
    *out = (char *)text.data; /* given away: frz_text_free */
    return FRZ_OK;
}
