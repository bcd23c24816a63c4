#include "catalog/mutex.h"

#include "base/fail.h"

frz_status frz_catalog_mutex_init(pthread_mutex_t *mutex, frz_error **err)
{
    pthread_mutexattr_t attributes;
    int code = pthread_mutexattr_init(&attributes);
    if (code != 0)
        return frz_fail_errno(err, code, "create", "mutex");
    code = pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
    if (code == 0)
        code = pthread_mutex_init(mutex, &attributes);
    (void)pthread_mutexattr_destroy(&attributes);
    return code == 0 ? FRZ_OK : frz_fail_errno(err, code, "create", "mutex");
}
