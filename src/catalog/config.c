#include "catalog/config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "catalog/config_file.h"

extern char **environ;

enum { FILE_COUNT_MAX = 3, PATH_SIZE_MAX = 4096 };

static const char env_prefix[] = "pyiceberg_";

typedef struct resolution {
    frz_arena *arena;
    frz_config_file files[FILE_COUNT_MAX];
    size_t file_count;
    frz_option *settings;
    size_t count;
    size_t capacity;
} resolution;

static const char *environment(const char *key)
{
    const char *value = getenv(key);
    return value && *value ? value : NULL;
}

static const char *find_setting(const frz_option *settings, size_t count, const char *key)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(settings[i].key, key) == 0)
            return settings[i].value;
    }
    return NULL;
}

const char *frz_catalog_config_find(const frz_catalog_config *config, const char *key)
{
    return find_setting(config->properties, config->property_count, key);
}

/* Keeps what is there already: settings arrive by falling precedence. */
static frz_status offer(resolution *self, const char *key, const char *value, frz_error **err)
{
    if (!value || !*value || find_setting(self->settings, self->count, key))
        return FRZ_OK;
    if (self->count == self->capacity) {
        const size_t capacity = self->capacity ? self->capacity * 2 : 16;
        frz_option *grown = frz_arena_array(self->arena, capacity, sizeof *grown);
        if (!grown)
            return frz_fail_memory(err);
        if (self->count > 0)
            memcpy(grown, self->settings, self->count * sizeof *grown);
        self->settings = grown;
        self->capacity = capacity;
    }
    const frz_option made = {frz_arena_text(self->arena, key), frz_arena_text(self->arena, value)};
    if (!made.key || !made.value)
        return frz_fail_memory(err);
    self->settings[self->count++] = made;
    return FRZ_OK;
}

/* A file that is merely looked for may be absent. */
static frz_status try_file(resolution *self, const char *path, bool *found_out, frz_error **err)
{
    *found_out = false;
    if (!path)
        return frz_fail_memory(err);
    if (access(path, F_OK) != 0)
        return FRZ_OK;
    FRZ_TRY(frz_config_file_read(path, self->arena, &self->files[self->file_count], err));
    self->file_count++;
    *found_out = true;
    return FRZ_OK;
}

static frz_status read_files(resolution *self, const frz_catalog_options *options, frz_error **err)
{
    frz_arena *arena = self->arena;
    const char *home = environment("HOME");
    const char *xdg = environment("XDG_CONFIG_HOME");
    bool found = false;

    if (options->config_path)
        FRZ_TRY(frz_config_file_read(options->config_path, arena, &self->files[self->file_count++],
                                     err));
    if (xdg)
        FRZ_TRY(try_file(self, frz_arena_printf(arena, "%s/frazil/config.yaml", xdg), &found, err));
    else if (home)
        FRZ_TRY(try_file(self, frz_arena_printf(arena, "%s/.config/frazil/config.yaml", home),
                         &found, err));

    const char *const folders[] = {environment("PYICEBERG_HOME"), home, "."};
    found = false;
    for (size_t i = 0; i < sizeof folders / sizeof *folders && !found; i++) {
        if (folders[i])
            FRZ_TRY(try_file(self, frz_arena_printf(arena, "%s/.pyiceberg.yaml", folders[i]),
                             &found, err));
    }
    return FRZ_OK;
}

static const char *catalog_name(const resolution *self, const frz_catalog_options *options)
{
    if (options->name && *options->name)
        return options->name;
    if (environment("FRAZIL_CATALOG"))
        return environment("FRAZIL_CATALOG");
    if (environment("PYICEBERG_DEFAULT_CATALOG"))
        return environment("PYICEBERG_DEFAULT_CATALOG");
    for (size_t i = 0; i < self->file_count; i++) {
        if (self->files[i].default_catalog && *self->files[i].default_catalog)
            return self->files[i].default_catalog;
    }
    return "default";
}

/* One part of a variable's name as PyIceberg reads it: `__` is a dot, `_` a dash. In place. */
static void normalize_part(char *part)
{
    char *to = part;
    for (const char *from = part; *from; from++) {
        if (from[0] == '_' && from[1] == '_') {
            *to++ = '.';
            from++;
        } else {
            *to++ = *from == '_' ? '-' : *from;
        }
    }
    *to = '\0';
}

/* Takes PYICEBERG_CATALOG__<NAME>__<KEY>=VALUE of this catalog. */
static frz_status offer_variable(resolution *self, const char *variable, const char *name,
                                 frz_error **err)
{
    const char *equals = strchr(variable, '=');
    if (!equals)
        return FRZ_OK;
    char *key = frz_config_lower(self->arena, variable, (size_t)(equals - variable));
    if (!key)
        return frz_fail_memory(err);
    if (strncmp(key, env_prefix, strlen(env_prefix)) != 0)
        return FRZ_OK;
    key += strlen(env_prefix);
    char *catalog = strstr(key, "__");
    char *property = catalog ? strstr(catalog + 2, "__") : NULL;
    if (!property)
        return FRZ_OK;
    *catalog = '\0';
    *property = '\0';
    normalize_part(catalog + 2);
    normalize_part(property + 2);
    if (strcmp(key, "catalog") != 0 || strcmp(catalog + 2, name) != 0)
        return FRZ_OK;
    return offer(self, property + 2, equals + 1, err);
}

static frz_status offer_section(resolution *self, const char *name, frz_error **err)
{
    for (size_t i = 0; i < self->file_count; i++) {
        const frz_config_section *section = frz_config_file_section(&self->files[i], name);
        if (!section)
            continue;
        for (size_t j = 0; j < section->count; j++)
            FRZ_TRY(offer(self, section->options[j].key, section->options[j].value, err));
        break;
    }
    return FRZ_OK;
}

static frz_status gather(resolution *self, const frz_catalog_options *options, const char *name,
                         frz_error **err)
{
    const char *lower = frz_config_lower(self->arena, name, strlen(name));
    if (!lower)
        return frz_fail_memory(err);
    for (size_t i = 0; i < options->property_count; i++) {
        const frz_option *property = &options->properties[i];
        const char *key = frz_config_lower(self->arena, property->key, strlen(property->key));
        if (!key)
            return frz_fail_memory(err);
        FRZ_TRY(offer(self, key, property->value, err));
    }
    FRZ_TRY(offer(self, "warehouse", environment("FRAZIL_WAREHOUSE"), err));
    for (char **variable = environ; variable && *variable; variable++)
        FRZ_TRY(offer_variable(self, *variable, lower, err));
    return offer_section(self, lower, err);
}

static bool has_scheme(const char *location)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    static const char others[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-.";
    if (strspn(location, letters) == 0)
        return false;
    return location[strspn(location, others)] == ':';
}

frz_status frz_location_absolute(const char *location, frz_arena *arena, const char **out,
                                 frz_error **err)
{
    char folder[PATH_SIZE_MAX];
    const char *made = NULL;
    if (has_scheme(location)) {
        made = frz_arena_text(arena, location);
    } else if (location[0] == '/') {
        made = frz_arena_printf(arena, "file://%s", location);
    } else {
        while (strncmp(location, "./", 2) == 0)
            location += 2;
        if (strcmp(location, ".") == 0)
            location = "";
        if (!getcwd(folder, sizeof folder))
            return frz_fail_errno(err, errno, "find", "the current folder");
        made = frz_arena_printf(arena, "file://%s%s%s", strcmp(folder, "/") == 0 ? "" : folder,
                                *location ? "/" : "", location);
    }
    if (!made)
        return frz_fail_memory(err);
    *out = made;
    return FRZ_OK;
}

static frz_status resolve_warehouse(const resolution *self, const char **out, frz_error **err)
{
    const char *set = find_setting(self->settings, self->count, "warehouse");
    const char *location = NULL;
    FRZ_TRY(frz_location_absolute(set ? set : "./warehouse", self->arena, &location, err));
    size_t size = strlen(location);
    while (size > 1 && location[size - 1] == '/' && location[size - 2] != '/')
        size--;
    *out = frz_arena_text_n(self->arena, location, size);
    return *out ? FRZ_OK : frz_fail_memory(err);
}

/* As PyIceberg infers it; with nothing to go by, the embedded catalog. */
static const char *infer_type(const char *uri)
{
    static const struct {
        const char *prefix;
        const char *type;
    } schemes[] = {{"http", "rest"},
                   {"thrift", "hive"},
                   {"sqlite", "sql"},
                   {"jdbc:", "sql"},
                   {"postgresql", "sql"}};
    for (size_t i = 0; uri && i < sizeof schemes / sizeof *schemes; i++) {
        if (strncmp(uri, schemes[i].prefix, strlen(schemes[i].prefix)) == 0)
            return schemes[i].type;
    }
    return uri ? NULL : "sql";
}

static frz_status resolve_type(resolution *self, frz_catalog_config *config, frz_error **err)
{
    const char *set = find_setting(self->settings, self->count, "type");
    if (!set) {
        config->type = infer_type(config->uri);
        return config->type ? FRZ_OK
                            : frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                                       "catalog %s: no type is set, and none follows from uri "
                                       "\"%s\"",
                                       config->name, config->uri);
    }
    config->type = frz_config_lower(self->arena, set, strlen(set));
    if (!config->type)
        return frz_fail_memory(err);
    if (strcmp(config->type, "jdbc") == 0 || strcmp(config->type, "sqlite") == 0)
        config->type = "sql";
    return FRZ_OK;
}

/* The embedded database lies in the warehouse, which must then be a local folder. */
static frz_status default_uri(resolution *self, frz_catalog_config *config, frz_error **err)
{
    if (config->uri || strcmp(config->type, "sql") != 0)
        return FRZ_OK;
    const char *path = config->warehouse;
    if (strncmp(path, "file:", strlen("file:")) != 0)
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                        "catalog %s: warehouse %s is not local, so the SQL catalog needs a uri",
                        config->name, config->warehouse);
    path += strlen("file:");
    if (strncmp(path, "//", 2) == 0)
        path += 2;
    config->uri = frz_arena_printf(self->arena, "sqlite:///%s/catalog.db", path);
    return config->uri ? FRZ_OK : frz_fail_memory(err);
}

frz_status frz_catalog_config_resolve(const frz_catalog_options *options, frz_arena *arena,
                                      frz_catalog_config *out, frz_error **err)
{
    resolution self = {.arena = arena};
    frz_catalog_config config = {0};

    FRZ_TRY(read_files(&self, options, err));
    config.name = frz_arena_text(arena, catalog_name(&self, options));
    if (!config.name)
        return frz_fail_memory(err);
    FRZ_TRY(gather(&self, options, config.name, err));
    config.uri = find_setting(self.settings, self.count, "uri");
    FRZ_TRY(resolve_type(&self, &config, err));
    FRZ_TRY(resolve_warehouse(&self, &config.warehouse, err));
    FRZ_TRY(default_uri(&self, &config, err));
    config.properties = self.settings;
    config.property_count = self.count;
    *out = config;
    return FRZ_OK;
}
