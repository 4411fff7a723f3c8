"""OpenID Connect: tokens of an issuer, checked here; logins there, held and renewed here."""
