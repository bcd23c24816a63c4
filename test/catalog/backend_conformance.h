/*
 * What every catalog back-end must do (frazil/extend/catalog.h). Each back-end's test runs it over
 * a fresh instance.
 */
#ifndef FRZ_TEST_BACKEND_CONFORMANCE_H
#define FRZ_TEST_BACKEND_CONFORMANCE_H

#include "harness.h"

#include "frazil/extend/catalog.h"
#include "frazil/schema.h"

static inline void check_names(const frz_names *names, const char *joined)
{
    char text[512] = "";
    for (size_t i = 0; i < names->count; i++) {
        const size_t used = strlen(text);
        (void)snprintf(text + used, sizeof text - used, "%s%s", i ? "," : "", names->items[i]);
    }
    assert_string_equal(text, joined);
}

static inline void check_namespaces(frz_catalog_backend *backend)
{
    const frz_catalog_backend_ops *ops = backend->ops;
    const frz_option properties[] = {{"location", "s3://b/x"}, {"owner", "me"}};
    frz_error *err = NULL;
    frz_names names = {0};
    char *value = NULL;

    CHECK_OK(ops->list_namespaces(backend, NULL, &names, &err), err);
    check_names(&names, "");
    frz_names_free(&names);
    CHECK_FAILS(ops->list_namespaces(backend, "a", &names, &err), FRZ_NOT_FOUND, err, "a");

    CHECK_OK(ops->create_namespace(backend, "a.b.c", properties, 2, &err), err);
    CHECK_OK(ops->create_namespace(backend, "a_b", NULL, 0, &err), err);
    CHECK_OK(ops->create_namespace(backend, "a%b!", NULL, 0, &err), err);
    CHECK_FAILS(ops->create_namespace(backend, "a", NULL, 0, &err), FRZ_ALREADY_EXISTS, err, "a");
    CHECK_FAILS(ops->create_namespace(backend, "a.b.c", NULL, 0, &err), FRZ_ALREADY_EXISTS, err,
                "a.b.c");
    CHECK_OK(ops->list_namespaces(backend, NULL, &names, &err), err);
    check_names(&names, "a,a%b!,a_b");
    frz_names_free(&names);
    CHECK_OK(ops->list_namespaces(backend, "a", &names, &err), err);
    check_names(&names, "a.b");
    frz_names_free(&names);

    CHECK_OK(ops->namespace_property(backend, "a.b.c", "location", &value, &err), err);
    assert_string_equal(value, "s3://b/x");
    frz_text_free(value);
    CHECK_OK(ops->namespace_property(backend, "a.b", "location", &value, &err), err);
    CHECK(value == NULL);
    CHECK_FAILS(ops->namespace_property(backend, "b", "location", &value, &err), FRZ_NOT_FOUND, err,
                "b");

    CHECK_FAILS(ops->drop_namespace(backend, "a.b", &err), FRZ_INVALID, err, "not empty");
    CHECK_OK(ops->drop_namespace(backend, "a.b.c", &err), err);
    CHECK_FAILS(ops->drop_namespace(backend, "a.b.c", &err), FRZ_NOT_FOUND, err, "a.b.c");
    CHECK_OK(ops->drop_namespace(backend, "a.b", &err), err);
    CHECK_OK(ops->drop_namespace(backend, "a", &err), err);
    /* "a" is gone although "a_b" matches the pattern a%b without escapes. */
    CHECK_FAILS(ops->list_tables(backend, "a", &names, &err), FRZ_NOT_FOUND, err, "a");
    CHECK_OK(ops->drop_namespace(backend, "a_b", &err), err);
    CHECK_OK(ops->drop_namespace(backend, "a%b!", &err), err);
}

static inline void check_location(frz_catalog_backend *backend, const char *identifier,
                                  const char *want)
{
    frz_error *err = NULL;
    char *location = NULL;
    CHECK_OK(backend->ops->load(backend, identifier, &location, &err), err);
    assert_string_equal(location, want);
    frz_text_free(location);
}

static inline void check_tables(frz_catalog_backend *backend)
{
    const frz_catalog_backend_ops *ops = backend->ops;
    frz_error *err = NULL;
    frz_names names = {0};
    char *location = NULL;

    CHECK_FAILS(ops->load(backend, "n.t", &location, &err), FRZ_NOT_FOUND, err, "no table n.t");
    CHECK_FAILS(ops->create(backend, "n.t", "m0", &err), FRZ_NOT_FOUND, err, "namespace n");
    CHECK_OK(ops->create_namespace(backend, "n", NULL, 0, &err), err);
    CHECK_OK(ops->create_namespace(backend, "n.m", NULL, 0, &err), err);
    CHECK_OK(ops->create(backend, "n.t", "m0", &err), err);
    CHECK_OK(ops->create(backend, "n.m.u", "u0", &err), err);
    CHECK_FAILS(ops->create(backend, "n.t", "m9", &err), FRZ_ALREADY_EXISTS, err,
                "table n.t exists");
    check_location(backend, "n.t", "m0");

    CHECK_OK(ops->swap(backend, "n.t", "m0", "m1", &err), err);
    check_location(backend, "n.t", "m1");
    CHECK_FAILS(ops->swap(backend, "n.t", "m0", "m2", &err), FRZ_CONFLICT, err,
                "points to m1, not to m0");
    check_location(backend, "n.t", "m1");
    CHECK_FAILS(ops->swap(backend, "n.none", "m0", "m2", &err), FRZ_NOT_FOUND, err, "n.none");

    CHECK_OK(ops->list_tables(backend, "n", &names, &err), err);
    check_names(&names, "n.t");
    frz_names_free(&names);
    CHECK_FAILS(ops->drop_namespace(backend, "n", &err), FRZ_INVALID, err, "not empty");

    CHECK_FAILS(ops->rename(backend, "n.t", "n.m.u", &err), FRZ_ALREADY_EXISTS, err, "n.m.u");
    CHECK_FAILS(ops->rename(backend, "n.t", "x.t", &err), FRZ_NOT_FOUND, err, "x");
    CHECK_FAILS(ops->rename(backend, "n.none", "n.y", &err), FRZ_NOT_FOUND, err, "n.none");
    CHECK_OK(ops->rename(backend, "n.t", "n.m.t", &err), err);
    check_location(backend, "n.m.t", "m1");
    CHECK_FAILS(ops->load(backend, "n.t", &location, &err), FRZ_NOT_FOUND, err, "n.t");

    CHECK_OK(ops->drop(backend, "n.m.t", &err), err);
    CHECK_FAILS(ops->drop(backend, "n.m.t", &err), FRZ_NOT_FOUND, err, "n.m.t");
    CHECK_OK(ops->drop(backend, "n.m.u", &err), err);
    CHECK_OK(ops->drop_namespace(backend, "n.m", &err), err);
    CHECK_OK(ops->drop_namespace(backend, "n", &err), err);
}

/* Between lock and unlock the holder loads and swaps; afterwards everybody may. */
static inline void check_lock(frz_catalog_backend *backend)
{
    const frz_catalog_backend_ops *ops = backend->ops;
    frz_error *err = NULL;
    CHECK_OK(ops->create_namespace(backend, "l", NULL, 0, &err), err);
    CHECK_OK(ops->create(backend, "l.t", "m0", &err), err);
    CHECK_OK(ops->lock(backend, &err), err);
    check_location(backend, "l.t", "m0");
    CHECK_OK(ops->swap(backend, "l.t", "m0", "m1", &err), err);
    ops->unlock(backend);
    check_location(backend, "l.t", "m1");
    CHECK_OK(ops->lock(backend, &err), err);
    CHECK_FAILS(ops->swap(backend, "l.t", "m0", "m2", &err), FRZ_CONFLICT, err, "m1");
    ops->unlock(backend);
    CHECK_OK(ops->lock(backend, &err), err);
    ops->unlock(backend);
    CHECK_OK(ops->swap(backend, "l.t", "m1", "m2", &err), err);
    CHECK_OK(ops->drop(backend, "l.t", &err), err);
    CHECK_OK(ops->drop_namespace(backend, "l", &err), err);
}

static inline void check_backend(frz_catalog_backend *backend)
{
    check_namespaces(backend);
    check_tables(backend);
    check_lock(backend);
}

/* One swap of every kind with allocations failing: the pointer is the old or the new one. */
static inline void check_backend_without_memory(frz_catalog_backend *backend)
{
    const frz_catalog_backend_ops *ops = backend->ops;
    char *location = NULL;
    frz_status status = ops->create_namespace(backend, "n", NULL, 0, NULL);
    if (status == FRZ_OK)
        status = ops->create(backend, "n.t", "m0", NULL);
    if (status == FRZ_OK)
        status = ops->swap(backend, "n.t", "m0", "m1", NULL);
    if (status == FRZ_OK)
        status = ops->load(backend, "n.t", &location, NULL);
    if (status == FRZ_OK)
        assert_string_equal(location, "m1");
    CHECK(status == FRZ_OK || status == FRZ_NO_MEMORY);
    CHECK((status == FRZ_OK) == !frz_mem_failed());
    frz_text_free(location);
}

#endif
