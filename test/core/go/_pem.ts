/**
 * Certificates and keys that were made for these tests and are used nowhere else. They end in 2126,
 * except for the one that ended in 2021.
 */

/** Self-signed, for harvester.example.com. */
export const CERTIFICATE = [
  '-----BEGIN CERTIFICATE-----',
  'MIIBlzCCAT2gAwIBAgIUVgYsvpCopJ9PHRMDEX28+Fc7dC8wCgYIKoZIzj0EAwIw',
  'IDEeMBwGA1UEAwwVaGFydmVzdGVyLmV4YW1wbGUuY29tMCAXDTI2MTEyMTExNTE1',
  'MVoYDzIxMjYxMDI4MTE1MTUxWjAgMR4wHAYDVQQDDBVoYXJ2ZXN0ZXIuZXhhbXBs',
  'ZS5jb20wWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAQGV1W+l63JJ4bH73WTJD1q',
  'GT7IEZr/mhHoQgwU5QePZoel2s3j1KcP03Uxc3nwlt37KxPHAIpIkHo7UFAufj2M',
  'o1MwUTAdBgNVHQ4EFgQUImjniInH+vgbgAvb01du6U6hiLkwHwYDVR0jBBgwFoAU',
  'ImjniInH+vgbgAvb01du6U6hiLkwDwYDVR0TAQH/BAUwAwEB/zAKBggqhkjOPQQD',
  'AgNIADBFAiEAzZCngrv2vwcSoj8luX2LWiS6iwNz/ovGoBsvoC+D5XYCIHGZfgRj',
  '6bZpvU7Jt2bFkq4JoGT41ReHTBt6QN6l+00p',
  '-----END CERTIFICATE-----',
  '',
].join('\n');

/** Self-signed, without a common name and a subject alternative name. */
export const NAMELESS = [
  '-----BEGIN CERTIFICATE-----',
  'MIIBfTCCASOgAwIBAgIUUf2t1V86wQ/tH80dKTCHuwg2kGUwCgYIKoZIzj0EAwIw',
  'EzERMA8GA1UECgwIbmFtZWxlc3MwIBcNMjYxMTIxMTE1MTUxWhgPMjEyNjEwMjgx',
  'MTUxNTFaMBMxETAPBgNVBAoMCG5hbWVsZXNzMFkwEwYHKoZIzj0CAQYIKoZIzj0D',
  'AQcDQgAEEOmcx9B7NBoSfMrM+QU9Y996LFZn5fhbwfhURp5ZA8VNBi6fipe6ozYY',
  'e3iHoM7Hfa4iMtoc8pqFiTGkKHS0NaNTMFEwHQYDVR0OBBYEFHkuqPRpWthDD1c3',
  '4giz8iCZRpE5MB8GA1UdIwQYMBaAFHkuqPRpWthDD1c34giz8iCZRpE5MA8GA1Ud',
  'EwEB/wQFMAMBAf8wCgYIKoZIzj0EAwIDSAAwRQIhAOEQaikOTGvTgxUclMlJ4Lt5',
  'qF/NVhTAT3UDHnmRDdX8AiBSDq7h/J9Xs9nhVinWT9z6QBpIBy1uBnpS5cuSypcm',
  'Fg==',
  '-----END CERTIFICATE-----',
  '',
].join('\n');

/** Self-signed, ended on 2021-01-01. */
export const EXPIRED = [
  '-----BEGIN CERTIFICATE-----',
  'MIIBKDCBz6ADAgECAgEHMAoGCCqGSM49BAMCMB4xHDAaBgNVBAMTE2V4cGlyZWQu',
  'ZXhhbXBsZS5jb20wHhcNMjAwMTAxMDAwMDAwWhcNMjEwMTAxMDAwMDAwWjAeMRww',
  'GgYDVQQDExNleHBpcmVkLmV4YW1wbGUuY29tMFkwEwYHKoZIzj0CAQYIKoZIzj0D',
  'AQcDQgAEFjf3rz4QPXUW5pZdZZH9+BQiOOIVbvllIclx401VT9MEx0W4hAOLnp7M',
  '1Bw0zbJyEj54zNsQo+Xh8+/La1nolzAKBggqhkjOPQQDAgNIADBFAiBitwxMEbFm',
  'FkDbKFv8K5y11zdCWxcZtSjQ2P92xAl8cAIhANA8jBkjKYENuMinRtJJkCR3KdBm',
  'y+J3Vh9Q+lOFhcJY',
  '-----END CERTIFICATE-----',
  '',
].join('\n');

/** The key of CERTIFICATE, PKCS8. */
export const KEY = [
  '-----BEGIN PRIVATE KEY-----',
  'MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg7B8d7K7/vWpnnxHh',
  'kZQPzL1mZLDOiv6C66/UKtiUMZChRANCAAQGV1W+l63JJ4bH73WTJD1qGT7IEZr/',
  'mhHoQgwU5QePZoel2s3j1KcP03Uxc3nwlt37KxPHAIpIkHo7UFAufj2M',
  '-----END PRIVATE KEY-----',
  '',
].join('\n');

/** The same key, SEC1. */
export const EC_KEY = [
  '-----BEGIN EC PRIVATE KEY-----',
  'MHcCAQEEIOwfHeyu/71qZ58R4ZGUD8y9ZmSwzor+guuv1CrYlDGQoAoGCCqGSM49',
  'AwEHoUQDQgAEBldVvpetySeGx+91kyQ9ahk+yBGa/5oR6EIMFOUHj2aHpdrN49Sn',
  'D9N1MXN58Jbd+ysTxwCKSJB6O1BQLn49jA==',
  '-----END EC PRIVATE KEY-----',
  '',
].join('\n');

/** The key of NAMELESS. */
export const OTHER_KEY = [
  '-----BEGIN PRIVATE KEY-----',
  'MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgS8Q5iWqNTPx2z/j7',
  'h+X/hIezvOb3lbWZI43C+Ir0fgyhRANCAAQQ6ZzH0Hs0GhJ8ysz5BT1j33osVmfl',
  '+FvB+FRGnlkDxU0GLp+Kl7qjNhh7eIegzsd9riIy2hzymoWJMaQodLQ1',
  '-----END PRIVATE KEY-----',
  '',
].join('\n');
