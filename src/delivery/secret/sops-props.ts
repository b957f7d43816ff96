import { show } from '../../core/rule/problem';

/** Properties of secrets that are encrypted by SOPS. */
export interface SopsSecretsProps {
  /** Public keys of age that can decrypt the secrets, e.g. that of Flux and that of your team: `age1…`, or SSH keys. */
  readonly recipients: string[];
  /** Name of the Secret with the private key, in the namespace of the Kustomizations of Flux. Its key is `age.agekey`. @default sops-age */
  readonly decryptionSecret?: string;
  /** The program `sops`. @default - `sops`, found on the PATH */
  readonly program?: string;
}

const RECIPIENT = /^(?:age1[0-9a-z]{10,}|ssh-(?:ed25519|rsa) [A-Za-z0-9+/]+={0,2}(?: .*)?)$/;

/** Throws for recipients that cannot be right. */
export function checkSopsProps({ recipients }: SopsSecretsProps): void {
  if (recipients.length === 0) {
    throw new Error('SecretDelivery.sops: recipients must not be empty. Fix: create a key with `age-keygen`, and set the public key');
  }
  const wrong = recipients.filter((recipient) => !RECIPIENT.test(recipient) || recipient.includes(','));
  if (wrong.length === 0) { return; }
  // a private key is not shown
  const shown = wrong.map((recipient) => (/^age-secret-key-/i.test(recipient) ? 'a private key' : show(recipient)));
  throw new Error(`SecretDelivery.sops: recipients must be public keys of age (age1…) or of SSH, got ${shown.join(', ')}. `
    + 'Fix: set what `age-keygen -y <file>` prints');
}
