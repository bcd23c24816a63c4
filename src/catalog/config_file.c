#include "catalog/config_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <yaml.h>

#include "base/fail.h"

char *frz_config_lower(frz_arena *arena, const char *text, size_t size)
{
    char *copy = frz_arena_text_n(arena, text, size);
    for (size_t i = 0; copy && i < size; i++) {
        if (copy[i] >= 'A' && copy[i] <= 'Z')
            copy[i] = (char)(copy[i] + ('a' - 'A'));
    }
    return copy;
}

/* What the walk over one document needs. */
typedef struct yaml_walk {
    yaml_document_t *document;
    frz_arena *arena;
    const char *path;
} yaml_walk;

static frz_status fail_node(const yaml_walk *walk, const yaml_node_t *node, const char *what,
                            frz_error **err)
{
    return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET, "%s: line %zu: %s", walk->path,
                    node->start_mark.line + 1, what);
}

static frz_status mapping_items(const yaml_walk *walk, const yaml_node_t *node, const char *what,
                                size_t *count_out, frz_error **err)
{
    if (node->type != YAML_MAPPING_NODE)
        return fail_node(walk, node, what, err);
    *count_out = (size_t)(node->data.mapping.pairs.top - node->data.mapping.pairs.start);
    return FRZ_OK;
}

static frz_status key_of(const yaml_walk *walk, const yaml_node_pair_t *pair, const char **out,
                         frz_error **err)
{
    const yaml_node_t *key = yaml_document_get_node(walk->document, pair->key);
    if (key->type != YAML_SCALAR_NODE)
        return fail_node(walk, key, "a key must be text", err);
    *out = frz_config_lower(walk->arena, (const char *)key->data.scalar.value,
                            key->data.scalar.length);
    return *out ? FRZ_OK : frz_fail_memory(err);
}

static frz_status read_section(const yaml_walk *walk, const yaml_node_t *node,
                               frz_config_section *section, frz_error **err)
{
    size_t count = 0;
    FRZ_TRY(
        mapping_items(walk, node, "a catalog must be a mapping of keys to values", &count, err));
    section->options = frz_arena_array(walk->arena, count, sizeof *section->options);
    if (!section->options)
        return frz_fail_memory(err);
    for (size_t i = 0; i < count; i++) {
        const yaml_node_pair_t *pair = &node->data.mapping.pairs.start[i];
        const yaml_node_t *value = yaml_document_get_node(walk->document, pair->value);
        frz_option *option = &section->options[section->count];
        FRZ_TRY(key_of(walk, pair, &option->key, err));
        if (value->type != YAML_SCALAR_NODE)
            return fail_node(walk, value, "the value of a catalog's key must be text", err);
        option->value =
            frz_arena_text_n(walk->arena, value->data.scalar.value, value->data.scalar.length);
        if (!option->value)
            return frz_fail_memory(err);
        section->count++;
    }
    return FRZ_OK;
}

static frz_status read_catalogs(const yaml_walk *walk, const yaml_node_t *node,
                                frz_config_file *file, frz_error **err)
{
    size_t count = 0;
    FRZ_TRY(mapping_items(walk, node, "\"catalog\" must be a mapping of names to catalogs", &count,
                          err));
    file->sections = frz_arena_array(walk->arena, count, sizeof *file->sections);
    if (!file->sections)
        return frz_fail_memory(err);
    for (size_t i = 0; i < count; i++) {
        const yaml_node_pair_t *pair = &node->data.mapping.pairs.start[i];
        frz_config_section *section = &file->sections[file->section_count];
        FRZ_TRY(key_of(walk, pair, &section->name, err));
        FRZ_TRY(
            read_section(walk, yaml_document_get_node(walk->document, pair->value), section, err));
        file->section_count++;
    }
    return FRZ_OK;
}

static frz_status read_root(const yaml_walk *walk, const yaml_node_t *root, frz_config_file *file,
                            frz_error **err)
{
    size_t count = 0;
    FRZ_TRY(mapping_items(walk, root, "a configuration must be a mapping", &count, err));
    for (size_t i = 0; i < count; i++) {
        const yaml_node_pair_t *pair = &root->data.mapping.pairs.start[i];
        const yaml_node_t *value = yaml_document_get_node(walk->document, pair->value);
        const char *key = NULL;
        FRZ_TRY(key_of(walk, pair, &key, err));
        if (strcmp(key, "catalog") == 0) {
            FRZ_TRY(read_catalogs(walk, value, file, err));
        } else if (strcmp(key, "default-catalog") == 0 && value->type == YAML_SCALAR_NODE) {
            file->default_catalog =
                frz_arena_text_n(walk->arena, value->data.scalar.value, value->data.scalar.length);
            if (!file->default_catalog)
                return frz_fail_memory(err);
        }
    }
    return FRZ_OK;
}

static frz_status read_document(yaml_parser_t *parser, frz_arena *arena, frz_config_file *file,
                                frz_error **err)
{
    yaml_document_t document;
    if (!yaml_parser_load(parser, &document))
        return frz_fail(err, FRZ_INVALID, parser->problem_offset, "%s: line %zu: %s", file->path,
                        parser->problem_mark.line + 1,
                        parser->problem ? parser->problem : "not YAML");
    const yaml_walk walk = {&document, arena, file->path};
    const yaml_node_t *root = yaml_document_get_root_node(&document);
    const frz_status status = root ? read_root(&walk, root, file, err) : FRZ_OK;
    yaml_document_delete(&document);
    return status;
}

frz_status frz_config_file_read(const char *path, frz_arena *arena, frz_config_file *out,
                                frz_error **err)
{
    frz_status status = FRZ_OK;
    frz_config_file file = {.path = frz_arena_text(arena, path)};
    yaml_parser_t parser;

    if (!file.path)
        return frz_fail_memory(err);
    FILE *stream = fopen(path, "rbe");
    if (!stream)
        return frz_fail_errno(err, errno, "open", path);
    if (!yaml_parser_initialize(&parser)) {
        status = frz_fail_memory(err);
        goto done;
    }
    yaml_parser_set_input_file(&parser, stream);
    status = read_document(&parser, arena, &file, err);
    yaml_parser_delete(&parser);
    if (status == FRZ_OK)
        *out = file;

done:
    (void)fclose(stream); /* read-only: nothing can be lost */
    return status;
}

const frz_config_section *frz_config_file_section(const frz_config_file *file, const char *name)
{
    for (size_t i = 0; i < file->section_count; i++) {
        if (strcmp(file->sections[i].name, name) == 0)
            return &file->sections[i];
    }
    return NULL;
}
