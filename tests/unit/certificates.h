/* SPDX-License-Identifier: GPL-2.0 */
/* Certificates that are made for a test, by themselves or by an authority. */
#ifndef NETSTACKLAT_CERTIFICATES_H
#define NETSTACKLAT_CERTIFICATES_H

#include <gnutls/x509.h>
#include <string.h>
#include <time.h>

struct certificate {
	gnutls_x509_crt_t crt;
	gnutls_x509_privkey_t key;
	char pem[4096], key_pem[4096];
};

/* An authority if it has none. */
static inline void certificate_make(struct certificate *made, const char *name,
				    const struct certificate *authority)
{
	static unsigned char serial;
	size_t size = sizeof(made->pem), key_size = sizeof(made->key_pem);
	const struct certificate *signer = authority ? authority : made;

	serial++;
	gnutls_x509_privkey_init(&made->key);
	gnutls_x509_privkey_generate(made->key, GNUTLS_PK_ECDSA,
				     GNUTLS_CURVE_TO_BITS(GNUTLS_ECC_CURVE_SECP256R1), 0);
	gnutls_x509_crt_init(&made->crt);
	gnutls_x509_crt_set_version(made->crt, 3);
	gnutls_x509_crt_set_serial(made->crt, &serial, 1);
	gnutls_x509_crt_set_dn_by_oid(made->crt, GNUTLS_OID_X520_COMMON_NAME, 0, name,
				      strlen(name));
	gnutls_x509_crt_set_activation_time(made->crt, time(NULL) - 3600);
	gnutls_x509_crt_set_expiration_time(made->crt, time(NULL) + 3600);
	gnutls_x509_crt_set_basic_constraints(made->crt, !authority, -1);
	gnutls_x509_crt_set_key(made->crt, made->key);
	gnutls_x509_crt_sign2(made->crt, signer->crt, signer->key, GNUTLS_DIG_SHA256, 0);
	assert_int_equal(gnutls_x509_crt_export(made->crt, GNUTLS_X509_FMT_PEM, made->pem, &size),
			 0);
	assert_int_equal(gnutls_x509_privkey_export(made->key, GNUTLS_X509_FMT_PEM, made->key_pem,
						    &key_size),
			 0);
}

static inline void certificate_free(struct certificate *certificate)
{
	gnutls_x509_crt_deinit(certificate->crt);
	gnutls_x509_privkey_deinit(certificate->key);
}

#endif
