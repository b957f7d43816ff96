import { Construct } from 'constructs';
import { checkPublicKey } from './key-pair.check';
import { ExistingNamespacedResourceOptions } from '../../core/app/resource';
import { LateType } from '../../core/late/late-text';
import { API_VERSIONS } from '../../core/manifest/names';
import { failOnErrors } from '../../core/problem/problem';
import { LateSource, LateValue } from '../../core/value/late-value';
import {
  ExistingNamespacedHarvesterResource,
  NamespacedHarvesterResource,
  NamespacedHarvesterResourceProps,
} from '../harvester-resource';
import { INamespacedHarvesterResource } from '../harvester-resource-ref';

const KIND = { apiVersion: API_VERSIONS.HARVESTER, kind: 'KeyPair' };

/** An SSH public key on a Harvester: declared by the program, or existing. */
export interface IKeyPair extends INamespacedHarvesterResource {
  /** `<namespace>/<name>`. */
  readonly keyPairId: string;
  /** The public key in OpenSSH format; of an existing key a late value. */
  readonly publicKey: string;
}

/** Properties of an SSH public key. */
export interface KeyPairProps extends NamespacedHarvesterResourceProps {
  /** The public key in OpenSSH format: one line of an `id_….pub` file. */
  readonly publicKey: string;
}

/**
 * The KeyPair of a Harvester: an SSH public key to which virtual machines refer. It contains no
 * private key.
 *
 * The UI adds the key to the cloud-init of virtual machines that it creates. Existing VMs keep the
 * key that they were created with. The fingerprint that Harvester shows is that of the first key,
 * also after a change.
 *
 * @see https://docs.harvesterhci.io/latest/vm/access-to-the-vm
 * @example
 * new KeyPair(dc1, 'ana', {
 *   publicKey: 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGhcwd/x9Ho4Oi0xP1PjZNdXnTnFHMy9jKxKEHYJvVZa ana@host',
 * });
 */
export class KeyPair extends NamespacedHarvesterResource implements IKeyPair {
  /** A reference to an existing key. */
  public static fromName(
    scope: Construct,
    id: string,
    options: ExistingNamespacedResourceOptions,
  ): IKeyPair {
    return new ExistingKeyPair(scope, id, 'KeyPair.fromName', KIND, options);
  }

  public readonly publicKey: string;

  constructor(scope: Construct, id: string, props: KeyPairProps) {
    super(scope, id, props);
    this.publicKey = props.publicKey.trim();
    failOnErrors(this, checkPublicKey('publicKey', this.publicKey));
    this._write({ ...KIND, spec: { publicKey: this.publicKey } });
  }

  public get keyPairId(): string {
    return `${this.namespace}/${this.name}`;
  }
}

class ExistingKeyPair extends ExistingNamespacedHarvesterResource implements IKeyPair {
  public get publicKey(): string {
    return LateValue._once(this, 'PublicKey', {
      description: `public key of KeyPair ${this.keyPairId}`,
      type: LateType.STRING,
      source: LateSource.field('spec.publicKey', {
        target: this.harvester,
        ...KIND,
        namespace: this.namespace,
        name: this.name,
      }),
    }).token;
  }

  public get keyPairId(): string {
    return `${this.namespace}/${this.name}`;
  }
}
