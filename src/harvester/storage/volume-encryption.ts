import { Construct } from 'constructs';
import { CRYPTO_CHOICES } from './harvester-storage-class.check';
import { EncryptionCipher, EncryptionHash, EncryptionKeyDerivation } from './storage.data';
import { CRYPTO_KEY } from './storage.kind';
import { ExistingNamespacedResourceOptions } from '../../core/app/resource';
import { API_VERSIONS } from '../../core/manifest/names';
import { failOnErrors } from '../../core/problem/problem';
import { SecretValue } from '../../core/value/secret-value';
import {
  ExistingNamespacedHarvesterResource,
  NamespacedHarvesterResource,
  NamespacedHarvesterResourceProps,
} from '../harvester-resource';
import { INamespacedHarvesterResource } from '../harvester-resource-ref';

const KIND = { apiVersion: API_VERSIONS.CORE, kind: 'Secret' };

/** The key of encrypted volumes on a Harvester: declared by the program, or existing. */
export interface IVolumeEncryption extends INamespacedHarvesterResource {
  /** The ID of the object in Rancher's API: `<namespace>/<name>`. */
  readonly volumeEncryptionId: string;
}

/** Properties of the key of encrypted volumes. */
export interface VolumeEncryptionProps extends NamespacedHarvesterResourceProps {
  /**
   * The passphrase, which the manifest contains in plain text. To keep it out of Git, use a sealed
   * or external Secret and `VolumeEncryption.fromName`.
   */
  readonly passphrase: SecretValue;
  /** The cipher. @default EncryptionCipher.AES_XTS_PLAIN64 */
  readonly cipher?: EncryptionCipher;
  /** The hash. @default EncryptionHash.SHA256 */
  readonly hash?: EncryptionHash;
  /** The size of the key in bits: 256, 384 or 512. @default 256 */
  readonly keySize?: number;
  /**
   * The function that derives the key from the passphrase.
   * @default EncryptionKeyDerivation.ARGON2I
   */
  readonly pbkdf?: EncryptionKeyDerivation;
}

/**
 * The Secret with the key of encrypted volumes on a Harvester, to which a `HarvesterStorageClass`
 * refers.
 *
 * **Without it, or with a different passphrase, the data on the volumes is lost.** It is never
 * pruned.
 *
 * @see https://docs.harvesterhci.io/latest/advanced/storageclass
 * @example
 * const encryption = new VolumeEncryption(dc1, 'disk-key', { passphrase: SecretValue.fromEnv('DISK_PASSPHRASE') });
 * new HarvesterStorageClass(dc1, 'encrypted', { driver: StorageDriver.longhorn({ encryption }) });
 */
export class VolumeEncryption extends NamespacedHarvesterResource implements IVolumeEncryption {
  /** A reference to an existing Secret. */
  public static fromName(
    scope: Construct,
    id: string,
    options: ExistingNamespacedResourceOptions,
  ): IVolumeEncryption {
    return new ExistingVolumeEncryption(scope, id, 'VolumeEncryption.fromName', KIND, options);
  }

  constructor(scope: Construct, id: string, props: VolumeEncryptionProps) {
    super(scope, id, props);
    const keySize = String(props.keySize ?? 256);
    const sizes = CRYPTO_CHOICES[CRYPTO_KEY.SIZE]!;
    failOnErrors(
      this,
      sizes.includes(keySize)
        ? []
        : [
            {
              path: 'keySize',
              value: props.keySize,
              message: `must be one of ${sizes.join(', ')}`,
              fix: 'choose a size',
            },
          ],
    );
    const data: { readonly [key: string]: string } = {
      [CRYPTO_KEY.CIPHER]: props.cipher ?? EncryptionCipher.AES_XTS_PLAIN64,
      [CRYPTO_KEY.HASH]: props.hash ?? EncryptionHash.SHA256,
      [CRYPTO_KEY.SIZE]: keySize,
      [CRYPTO_KEY.PBKDF]: props.pbkdf ?? EncryptionKeyDerivation.ARGON2I,
      [CRYPTO_KEY.PROVIDER]: 'secret',
    };
    this._write(
      {
        ...KIND,
        type: 'Opaque',
        data: {
          ...Object.fromEntries(
            Object.entries(data).map(([key, value]) => [
              key,
              Buffer.from(value, 'utf8').toString('base64'),
            ]),
          ),
          [CRYPTO_KEY.VALUE]: props.passphrase._base64(),
        },
      },
      { deletion: 'volume-encryption' },
    );
  }

  public get volumeEncryptionId(): string {
    return `${this.namespace}/${this.name}`;
  }
}

class ExistingVolumeEncryption
  extends ExistingNamespacedHarvesterResource
  implements IVolumeEncryption
{
  public get volumeEncryptionId(): string {
    return `${this.namespace}/${this.name}`;
  }
}
