/* SPDX-License-Identifier: GPL-2.0 */
/* The password "secret" of a user called prometheus. */
#ifndef NETSTACKLAT_SECRET_H
#define NETSTACKLAT_SECRET_H

#define SECRET_USER "prometheus"
/* Its hash is by bcrypt, of the least cost. */
#define SECRET_HASH "$2b$04$swlJLnMhHP9b36/iz/BY/OlNADGw.VJgj3rDjqX8uFOEQO8b5zeDG"

/* A client sends one of these as Authorization: the first is right. */
#define SECRET_SAID "Basic cHJvbWV0aGV1czpzZWNyZXQ="
#define WRONG_SAID "Basic cHJvbWV0aGV1czp3cm9uZw=="

#endif
