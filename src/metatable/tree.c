/*
 * The picture of `frazil tree`: catalog pointer > metadata.json > snapshot and manifest list >
 * manifests > files, each with its counts. One tree of nodes, printed as text or as JSON.
 */
#include <inttypes.h>

#include "base/calendar.h"
#include "base/fail.h"
#include "base/mem.h"
#include "json/writer.h"
#include "scan/scan.h"
#include "spec/manifest.h"

enum { FACTS_MAX = 12, FILES_SHOWN = 20 };

/* One fact of a node: a number, or a text where `text` is not NULL. */
typedef struct tree_fact {
    const char *name;
    const char *text;
    int64_t number;
} tree_fact;

typedef struct tree_node {
    const char *kind; /* "catalog", "metadata", "snapshot", "manifest", "data_file", ... */
    const char *name; /* location or identifier */
    tree_fact facts[FACTS_MAX];
    size_t fact_count;
    struct tree_node *first;
    struct tree_node *last;
    struct tree_node *next;
} tree_node;

typedef struct tree_picture {
    const frz_table *table;
    const frz_scan *scan;
    frz_arena arena;
    bool failed;       /* memory was short */
    tree_node nowhere; /* takes what is added after that */
} tree_picture;

static tree_node *add_node(tree_picture *tree, tree_node *parent, const char *kind,
                           const char *name)
{
    tree_node *node = frz_arena_alloc(&tree->arena, sizeof *node);
    if (!node || !name) {
        tree->failed = true;
        return &tree->nowhere;
    }
    node->kind = kind;
    node->name = name;
    if (parent && parent->last)
        parent->last->next = node;
    else if (parent)
        parent->first = node;
    if (parent)
        parent->last = node;
    return node;
}

static void add_number(tree_node *node, const char *name, int64_t number)
{
    if (number >= 0 && node->fact_count < FACTS_MAX)
        node->facts[node->fact_count++] = (tree_fact){.name = name, .number = number};
}

static void add_text(tree_picture *tree, tree_node *node, const char *name, const char *text)
{
    if (!text)
        tree->failed = true;
    else if (node->fact_count < FACTS_MAX)
        node->facts[node->fact_count++] = (tree_fact){.name = name, .text = text};
}

static const char *slice_text(tree_picture *tree, frz_slice text)
{
    return frz_arena_text_n(&tree->arena, text.data, text.size);
}

static void add_file(tree_picture *tree, tree_node *manifest, const frz_manifest_entry *entry)
{
    static const char *const statuses[] = {"existing", "added", "deleted"};
    const frz_data_file *file = &entry->file;
    const bool vector = file->format == FRZ_FORMAT_PUFFIN;
    const char *kind = file->content == FRZ_CONTENT_DATA               ? "data_file"
                       : vector                                        ? "deletion_vector"
                       : file->content == FRZ_CONTENT_POSITION_DELETES ? "position_deletes"
                                                                       : "equality_deletes";
    tree_node *node = add_node(tree, manifest, kind, slice_text(tree, file->path));
    add_text(tree, node, "status", statuses[entry->status]);
    add_number(node, "rows", file->record_count);
    add_number(node, "bytes", vector ? file->content_size : file->file_size);
    add_number(node, "sequence", entry->sequence_number);
    add_number(node, "first_row_id", file->first_row_id);
    if (file->referenced_data_file.size)
        add_text(tree, node, "of", slice_text(tree, file->referenced_data_file));
}

static frz_status add_manifest(tree_picture *tree, tree_node *list, const frz_manifest_file *source,
                               frz_error **err)
{
    static const frz_manifest_fields without_metrics = {.details = false};
    frz_manifest *manifest = NULL;
    tree_node *node =
        add_node(tree, list, source->content ? "delete_manifest" : "data_manifest", source->path);
    add_number(node, "spec", source->spec_id);
    add_number(node, "sequence", source->sequence_number);
    add_number(node, "added", source->added_files);
    add_number(node, "existing", source->existing_files);
    add_number(node, "deleted", source->deleted_files);
    add_number(node, "rows",
               source->added_rows < 0 || source->existing_rows < 0
                   ? -1
                   : source->added_rows + source->existing_rows);
    add_number(node, "first_row_id", source->first_row_id);
    FRZ_TRY(frz_manifest_read(tree->scan->io, source, tree->scan->metadata, &without_metrics,
                              &tree->scan->limits, &manifest, err));
    const size_t count = frz_manifest_count(manifest);
    for (size_t i = 0; i < count && i < FILES_SHOWN; i++)
        add_file(tree, node, frz_manifest_entry_at(manifest, i));
    if (count > FILES_SHOWN) {
        tree_node *more = add_node(tree, node, "more", "...");
        add_number(more, "files", (int64_t)(count - FILES_SHOWN));
    }
    frz_manifest_unref(manifest);
    return FRZ_OK;
}

static void add_refs(tree_picture *tree, tree_node *node, const frz_snapshot *snapshot)
{
    const frz_metadata *metadata = tree->table->metadata;
    for (size_t i = 0; i < metadata->ref_count; i++)
        if (metadata->refs[i].snapshot_id == snapshot->snapshot_id)
            add_text(tree, node, metadata->refs[i].is_tag ? "tag" : "branch",
                     metadata->refs[i].name);
}

static frz_status add_snapshot(tree_picture *tree, tree_node *parent, const frz_snapshot *snapshot,
                               frz_error **err)
{
    char time[FRZ_CALENDAR_TEXT_SIZE];
    frz_manifest_list list = {0};
    tree_node *node =
        add_node(tree, parent, "snapshot",
                 frz_arena_printf(&tree->arena, "snapshot %" PRId64, snapshot->snapshot_id));
    add_refs(tree, node, snapshot);
    if (snapshot->operation)
        add_text(tree, node, "operation", snapshot->operation);
    (void)frz_calendar_print_micros(frz_calendar_micros(snapshot->timestamp_ms), true, time);
    add_text(tree, node, "committed", frz_arena_text(&tree->arena, time));
    add_number(node, "sequence", snapshot->sequence_number);
    const char *rows = frz_snapshot_summary_find(snapshot, "total-records");
    if (rows)
        add_text(tree, node, "total_records", rows);

    FRZ_TRY(frz_manifest_list_read(tree->scan->io, tree->table->metadata, snapshot,
                                   &tree->scan->limits, &tree->arena, &list, err));
    tree_node *list_node =
        add_node(tree, node, "manifest_list",
                 snapshot->manifest_list ? snapshot->manifest_list : "(embedded manifest list)");
    add_number(list_node, "manifests", (int64_t)list.count);
    for (size_t i = 0; i < list.count; i++)
        FRZ_TRY(add_manifest(tree, list_node, &list.files[i], err));
    return FRZ_OK;
}

static frz_status build(tree_picture *tree, tree_node **out, frz_error **err)
{
    const frz_metadata *metadata = tree->table->metadata;
    const frz_snapshot *current = frz_metadata_current_snapshot(metadata);
    tree_node *root = NULL;
    if (tree->table->identifier)
        root = add_node(tree, NULL, "catalog_pointer", tree->table->identifier);
    tree_node *file = add_node(tree, root, "metadata", tree->table->metadata_location);
    add_number(file, "format_version", metadata->format_version);
    add_number(file, "snapshots", (int64_t)metadata->snapshot_count);
    add_number(file, "schemas", (int64_t)metadata->schema_count);
    add_number(file, "specs", (int64_t)metadata->spec_count);
    add_number(file, "next_row_id", metadata->next_row_id);
    if (current)
        FRZ_TRY(add_snapshot(tree, file, current, err));
    *out = root ? root : file;
    return FRZ_OK;
}

/* The last part of a location: what a person tells files apart by. */
static const char *short_name(const tree_node *node)
{
    const char *slash = strrchr(node->name, '/');
    return slash && slash[1] ? slash + 1 : node->name;
}

static void print_facts(const tree_node *node, frz_buffer *out)
{
    for (size_t i = 0; i < node->fact_count; i++) {
        const tree_fact *fact = &node->facts[i];
        frz_buffer_append_text(out, i ? ", " : "  ");
        if (fact->text) {
            const char *slash = strrchr(fact->text, '/');
            frz_buffer_printf(out, "%s %s", fact->name, slash ? slash + 1 : fact->text);
        } else {
            frz_buffer_printf(out, "%s %" PRId64, fact->name, fact->number);
        }
    }
}

/* `prefix` holds the bars of the ancestors. */
static void print_children(const tree_node *node, frz_buffer *prefix, frz_buffer *out)
{
    for (const tree_node *child = node->first; child; child = child->next) {
        const size_t size = prefix->size;
        frz_buffer_append(out, prefix->data, prefix->size);
        frz_buffer_append_text(out, child->next ? "\xe2\x94\x9c\xe2\x94\x80 "
                                                : "\xe2\x94\x94\xe2\x94\x80 ");
        frz_buffer_printf(out, "%s [%s]", short_name(child), child->kind);
        print_facts(child, out);
        frz_buffer_append_byte(out, '\n');
        frz_buffer_append_text(prefix, child->next ? "\xe2\x94\x82  " : "   ");
        print_children(child, prefix, out);
        prefix->size = size;
    }
}

static void print_text(const tree_node *root, frz_buffer *out)
{
    frz_buffer prefix = {0};
    frz_buffer_printf(out, "%s [%s]", root->name, root->kind);
    print_facts(root, out);
    frz_buffer_append_byte(out, '\n');
    print_children(root, &prefix, out);
    out->failed |= prefix.failed;
    frz_buffer_clear(&prefix);
}

static void print_json(const tree_node *node, frz_json_writer *json)
{
    frz_json_open_object(json);
    frz_json_key(json, "kind");
    frz_json_string(json, node->kind);
    frz_json_key(json, "name");
    frz_json_string(json, node->name);
    for (size_t i = 0; i < node->fact_count; i++) {
        frz_json_key(json, node->facts[i].name);
        if (node->facts[i].text)
            frz_json_string(json, node->facts[i].text);
        else
            frz_json_i64(json, node->facts[i].number);
    }
    if (node->first) {
        frz_json_key(json, "children");
        frz_json_open_array(json);
        for (const tree_node *child = node->first; child; child = child->next)
            print_json(child, json);
        frz_json_close_array(json);
    }
    frz_json_close_object(json);
}

frz_status frz_table_tree(const frz_table *table, bool json, char **out, frz_error **err)
{
    frz_status status = FRZ_OK;
    frz_scan *scan = NULL;
    frz_buffer text = {0};
    tree_picture drawn = {.table = table};
    tree_node *root = NULL;

    FRZ_TRY_DONE(frz_scan_new(table, NULL, &scan, err));
    drawn.scan = scan;
    FRZ_TRY_DONE(build(&drawn, &root, err));
    if (drawn.failed) {
        status = frz_fail_memory(err);
        goto done;
    }
    if (json) {
        frz_json_writer writer = frz_json_writer_to(&text, 2);
        print_json(root, &writer);
        frz_buffer_append_byte(&text, '\n');
    } else {
        print_text(root, &text);
    }
    frz_buffer_append_byte(&text, 0);
    if (text.failed) {
        status = frz_fail_memory(err);
        goto done;
    }
    *out = (char *)text.data; /* given away: frz_text_free */
    text = (frz_buffer){0};

done:
    frz_buffer_clear(&text);
    frz_arena_clear(&drawn.arena);
    frz_scan_free(scan);
    return status;
}
