/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>

#include "net/tls.h"

void lario_tls_setup_clear_certificates(lario_tls_setup *setup)
{
    for (unsigned i = 0; i < setup->certificates_count; i++) {
        free(setup->certificates[i].cert_file);
        free(setup->certificates[i].key_file);
        setup->certificates[i].cert_file = NULL;
        setup->certificates[i].key_file = NULL;
    }
    setup->certificates_count = 0;
}

void lario_tls_setup_done(lario_tls_setup *setup)
{
    lario_tls_setup_clear_certificates(setup);
    free(setup->client_ca_file);
    free(setup->ciphers);
    free(setup->suites);
    *setup = (lario_tls_setup){0};
}
