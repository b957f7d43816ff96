import { ApiObject } from 'cdk8s';
import { Construct, IConstruct } from 'constructs';
import { CRYPTO_CHOICES } from './host-storage-class.check';
import { CRYPTO_KEY } from './storage.kind';
import { objectName } from '../../core/app/resource';
import { IHarvesterTarget, INamespace, harvesterTargetOf } from '../../core/app/target';
import { SecretValue } from '../../core/late/secret-value';
import { API_VERSIONS } from '../../core/manifest/names';
import { note } from '../../core/manifest/object-notes';
import { Problem, failOnErrors } from '../../core/rule/problem';
import { objectNamespace, ExistingObject } from '../harvester-object';

/** The key of encrypted volumes on a Harvester: declared by the program, or existing. */
export interface IVolumeEncryption extends IConstruct {
  /** The name of the Secret. */
  readonly secretName: string;
  /** The namespace of the Secret. */
  readonly namespace: string;
  /** The Harvester of the Secret. */
  readonly harvester: IHarvesterTarget;
}

/** Properties of the key of encrypted volumes. */
export interface VolumeEncryptionProps {
  /** The passphrase, which the manifest contains in plain text. To keep it out of Git, use a sealed or external Secret and `VolumeEncryption.fromName`. */
  readonly passphrase: SecretValue;
  /** The cipher: `aes-xts-plain`, `aes-xts-plain64`, `aes-cbc-plain`, `aes-cbc-plain64` or `aes-cbc-essiv:sha256`. @default 'aes-xts-plain64' */
  readonly cipher?: string;
  /** The hash: `sha256`, `sha384` or `sha512`. @default 'sha256' */
  readonly hash?: string;
  /** The size of the key in bits: 256, 384 or 512. @default 256 */
  readonly keySize?: number;
  /** The function that derives the key from the passphrase: `argon2i`, `argon2id` or `pbkdf2`. @default 'argon2i' */
  readonly pbkdf?: string;
  /** The name of the Secret. @default - the ID of the construct */
  readonly name?: string;
  /** The namespace of the Secret. @default - `default` */
  readonly namespace?: INamespace;
  /** Labels of the Secret. @default - no labels */
  readonly labels?: { readonly [key: string]: string };
}

/**
 * The Secret with the key of encrypted volumes on a Harvester, to which a `HostStorageClass` refers.
 *
 * **Without it, or with a different passphrase, the data on the volumes is lost.** It is never pruned.
 *
 * @see https://docs.harvesterhci.io/latest/advanced/storageclass
 * @example
 * const encryption = new VolumeEncryption(dc1, 'disk-key', { passphrase: SecretValue.fromEnv('DISK_PASSPHRASE') });
 * new HostStorageClass(dc1, 'encrypted', { driver: StorageDriver.longhorn({ encryption }) });
 */
export class VolumeEncryption extends Construct implements IVolumeEncryption {
  /**
   * A reference to an existing Secret.
   *
   * @param scope a HarvesterChart, or a construct in one
   * @param id the ID of the construct
   * @param name the name of the Secret
   * @param namespace the namespace of the Secret
   */
  public static fromName(scope: Construct, id: string, name: string, namespace: string): IVolumeEncryption {
    return new ExistingVolumeEncryption(scope, id, name, namespace);
  }

  public readonly secretName: string;
  public readonly namespace: string;
  public readonly harvester: IHarvesterTarget;

  constructor(scope: Construct, id: string, props: VolumeEncryptionProps) {
    super(scope, id);
    this.harvester = harvesterTargetOf(this, 'VolumeEncryption');
    this.secretName = objectName(this, props.name);
    this.namespace = objectNamespace(this, this.harvester, props.namespace);
    const { cipher = 'aes-xts-plain64', hash = 'sha256', keySize = 256, pbkdf = 'argon2i' } = props;
    const choices: [prop: string, key: string, value: string][] = [
      ['cipher', CRYPTO_KEY.CIPHER, cipher], ['hash', CRYPTO_KEY.HASH, hash], ['keySize', CRYPTO_KEY.SIZE, String(keySize)], ['pbkdf', CRYPTO_KEY.PBKDF, pbkdf],
    ];
    failOnErrors(this, choices.flatMap(([path, key, value]): Problem[] => (CRYPTO_CHOICES[key]!.includes(value) ? [] : [{
      path, value, message: `must be one of ${CRYPTO_CHOICES[key]!.join(', ')}`, fix: 'choose a value',
    }])));
    const data = [...choices.map(([, key, value]) => [key, value]), [CRYPTO_KEY.PROVIDER, 'secret']];
    const secret = new ApiObject(this, 'Resource', {
      apiVersion: API_VERSIONS.CORE,
      kind: 'Secret',
      metadata: { name: this.secretName, namespace: this.namespace, labels: props.labels },
      type: 'Opaque',
      data: {
        ...Object.fromEntries(data.map(([key, value]) => [key, Buffer.from(value!, 'utf8').toString('base64')])),
        [CRYPTO_KEY.VALUE]: props.passphrase._base64(),
      },
    });
    note(secret, { deletion: { policy: 'keep', reason: 'the data on its volumes is lost without it' } });
  }
}

class ExistingVolumeEncryption extends ExistingObject implements IVolumeEncryption {
  constructor(scope: Construct, id: string, public readonly secretName: string, public readonly namespace: string) {
    super(scope, id, 'VolumeEncryption.fromName', { apiVersion: API_VERSIONS.CORE, kind: 'Secret', namespace, name: secretName });
  }
}
