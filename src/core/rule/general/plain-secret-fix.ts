/** What to do about a secret in plain text: what this library offers comes first. */
export const PLAIN_SECRET_FIX =
  'set secrets: SecretDelivery.sops({ recipients }) in HarvesterApp, or sealedSecrets or externalSecrets; ' +
  'or keep the output out of Git, and set SecretDelivery.plainText(); without a program, encrypt the file with sops';

/** Findings about secrets in plain text are one block of a report. */
export const PLAIN_SECRET_CAUSE = 'secrets are in plain text in the output';
