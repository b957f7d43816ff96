import { ApiObject } from 'cdk8s';
import { Construct, IConstruct } from 'constructs';
import { checkPublicKey } from './key-pair.check';
import { IHarvesterTarget, INamespace, harvesterTargetOf } from '../../core/app/target';
import { ANNOTATION_DESCRIPTION, API_VERSIONS, DEFAULT_NAMESPACE } from '../../core/manifest/names';
import { note } from '../../core/manifest/object-notes';
import { failOnErrors } from '../../core/rule/problem';
import { objectName, objectNamespace, ExistingObject } from '../harvester-object';

/** An SSH public key on a Harvester: declared by the program, or existing. */
export interface IKeyPair extends IConstruct {
  /** The name of the KeyPair. */
  readonly keyPairName: string;
  /** The namespace of the KeyPair. */
  readonly namespace: string;
  /** `<namespace>/<name>`. */
  readonly keyPairId: string;
  /** The public key in OpenSSH format. @default - not known to the program */
  readonly publicKey?: string;
  /** The Harvester of the KeyPair. */
  readonly harvester: IHarvesterTarget;
}

/** Properties of an SSH public key. */
export interface KeyPairProps {
  /** The public key in OpenSSH format: one line of an `id_….pub` file. */
  readonly publicKey: string;
  /** The name of the KeyPair. @default - the ID of the construct */
  readonly name?: string;
  /** The namespace. All users can read keys in `harvester-public`. @default - `default` */
  readonly namespace?: INamespace;
  /** The description that the UI shows. @default - no description */
  readonly description?: string;
  /** Labels of the KeyPair. @default - no labels */
  readonly labels?: { readonly [key: string]: string };
}

/**
 * The KeyPair of a Harvester: an SSH public key to which virtual machines refer. It contains no private key.
 *
 * The UI adds the key to the cloud-init of virtual machines that it creates. Existing VMs keep the key that they were created with. The fingerprint
 * that Harvester shows is that of the first key, also after a change.
 *
 * @see https://docs.harvesterhci.io/latest/vm/access-to-the-vm
 * @example
 * new KeyPair(dc1, 'ana', {
 *   publicKey: 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGhcwd/x9Ho4Oi0xP1PjZNdXnTnFHMy9jKxKEHYJvVZa ana@host',
 * });
 */
export class KeyPair extends Construct implements IKeyPair {
  /**
   * A reference to an existing key.
   *
   * @param scope a HarvesterChart, or a construct in one
   * @param id the ID of the construct
   * @param name the name of the KeyPair
   * @param namespace the namespace of the KeyPair, `default` by default
   */
  public static fromName(scope: Construct, id: string, name: string, namespace?: string): IKeyPair {
    return new ExistingKeyPair(scope, id, name, namespace ?? DEFAULT_NAMESPACE);
  }

  public readonly keyPairName: string;
  public readonly namespace: string;
  public readonly publicKey?: string;
  public readonly harvester: IHarvesterTarget;

  constructor(scope: Construct, id: string, props: KeyPairProps) {
    super(scope, id);
    this.harvester = harvesterTargetOf(this, 'KeyPair');
    this.keyPairName = objectName(this, props.name);
    this.namespace = objectNamespace(this, this.harvester, props.namespace);
    this.publicKey = props.publicKey.trim();
    failOnErrors(this, checkPublicKey('publicKey', this.publicKey));
    const pair = new ApiObject(this, 'Resource', {
      apiVersion: API_VERSIONS.HARVESTER,
      kind: 'KeyPair',
      metadata: {
        name: this.keyPairName,
        namespace: this.namespace,
        labels: props.labels,
        ...(props.description === undefined ? {} : { annotations: { [ANNOTATION_DESCRIPTION]: props.description } }),
      },
      spec: { publicKey: this.publicKey },
    });
    note(pair, {
      deletion: { policy: 'delete', reason: 'virtual machines keep the key that they were created with' },
      othersWrite: ['metadata.finalizers', 'status'],
    });
  }

  public get keyPairId(): string {
    return `${this.namespace}/${this.keyPairName}`;
  }
}

class ExistingKeyPair extends ExistingObject implements IKeyPair {
  public readonly publicKey?: string;

  constructor(scope: Construct, id: string, public readonly keyPairName: string, public readonly namespace: string) {
    super(scope, id, 'KeyPair.fromName', { apiVersion: API_VERSIONS.HARVESTER, kind: 'KeyPair', namespace, name: keyPairName });
  }

  public get keyPairId(): string {
    return `${this.namespace}/${this.keyPairName}`;
  }
}
