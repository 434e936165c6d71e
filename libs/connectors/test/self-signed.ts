/**
 * A certificate for localhost that nobody has signed, with its key, made for these tests: it opens nothing. Made with
 * openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 36500 -subj /CN=localhost -addext subjectAltName=DNS:localhost,IP:127.0.0.1
 */
export const selfSigned = {
  key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgcrN2xIuLrlCb4vqC
Ikral86hd/kLLtZlsp6TtH0zNUuhRANCAAQIScYgApeGc2Ln6SbIz/7kKOevdsQg
yRlAjsunKsHHAKXwRibcQhkpXkhuOrHS4i8WXvo0ygDLDyOX4HErlz/m
-----END PRIVATE KEY-----`,
  cert: `-----BEGIN CERTIFICATE-----
MIIBnDCCAUGgAwIBAgIUQv/zFlMVM5WOk640ys4y542hvUIwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMTIxMDEwMFoYDzIxMjYxMDI4
MjEwMTAwWjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAAQIScYgApeGc2Ln6SbIz/7kKOevdsQgyRlAjsunKsHHAKXwRibcQhkp
XkhuOrHS4i8WXvo0ygDLDyOX4HErlz/mo28wbTAdBgNVHQ4EFgQUnEpF/H6WiAUG
LTKzjzKTsupX6W0wHwYDVR0jBBgwFoAUnEpF/H6WiAUGLTKzjzKTsupX6W0wDwYD
VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZI
zj0EAwIDSQAwRgIhAJC78DxLRFxsaqYKNu8B6d3MpgTP62puUfytGBWAy26yAiEA
j+Qr6hSRZYMqH7Y818VjygHxoowCUryVkuKjHedYaQE=
-----END CERTIFICATE-----`,
};
