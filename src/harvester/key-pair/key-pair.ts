import { ApiObject } from 'cdk8s';
import { Construct, IConstruct } from 'constructs';
import { checkPublicKey } from './key-pair.check';
import { know } from '../../core/app/known-objects';
import { IHarvesterTarget, INamespace, harvesterTargetOf } from '../../core/app/target';
import { ANNOTATION_DESCRIPTION, API_VERSIONS } from '../../core/manifest/names';
import { note } from '../../core/manifest/object-notes';
import { failOnErrors } from '../../core/rule/problem';
import { DEFAULT_NAMESPACE } from '../namespace/namespace.kind';
import { objectName, objectNamespace } from '../object-name';

/**
 * An SSH public key on a Harvester: one that the program declares, or one that is there.
 */
export interface IKeyPair extends IConstruct {
  /** The name of the KeyPair object. */
  readonly keyPairName: string;
  /** Its namespace. */
  readonly namespace: string;
  /** `<namespace>/<name>`. */
  readonly keyPairId: string;
  /**
   * The key in OpenSSH's format.
   * @default - not known to the program
   */
  readonly publicKey?: string;
  /** The Harvester that it is on. */
  readonly harvester: IHarvesterTarget;
}

/**
 * Properties of an SSH public key.
 */
export interface KeyPairProps {
  /** The key in OpenSSH's format: one line of an `id_….pub` file. */
  readonly publicKey: string;
  /** The name of the KeyPair. @default - the id of the construct */
  readonly name?: string;
  /** Its namespace; those of `harvester-public` are for all users. @default - `default` */
  readonly namespace?: INamespace;
  /** Text that the UI shows. @default - none */
  readonly description?: string;
  /** Labels of the KeyPair. @default - none */
  readonly labels?: { readonly [key: string]: string };
}

/**
 * An SSH public key on a Harvester, which virtual machines refer to. There is no private key in it.
 *
 * The UI puts it into the cloud-init of virtual machines that it makes; those that are there keep the key that they were made with. The
 * fingerprint that Harvester shows is that of the first key, also after a change.
 *
 * @see https://docs.harvesterhci.io/latest/vm/access-to-the-vm
 */
export class KeyPair extends Construct implements IKeyPair {
  /**
   * A key that is there.
   *
   * @param scope below a HarvesterChart
   * @param id of the construct
   * @param name of the KeyPair
   * @param namespace of it; the default is `default`
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
    failOnErrors(this, [...checkPublicKey('publicKey', this.publicKey)]);
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
      deletion: { policy: 'delete', reason: 'virtual machines keep the key that they were made with' },
      othersWrite: ['metadata.finalizers', 'status'],
    });
  }

  public get keyPairId(): string {
    return `${this.namespace}/${this.keyPairName}`;
  }
}

class ExistingKeyPair extends Construct implements IKeyPair {
  public readonly harvester: IHarvesterTarget;
  public readonly publicKey?: string;

  constructor(scope: Construct, id: string, public readonly keyPairName: string, public readonly namespace: string) {
    super(scope, id);
    this.harvester = harvesterTargetOf(this, 'KeyPair.fromName');
    objectName(this, keyPairName);
    objectName(this, namespace, 'namespace');
    know(this, { target: this.harvester, apiVersion: API_VERSIONS.HARVESTER, kind: 'KeyPair', namespace, name: keyPairName });
  }

  public get keyPairId(): string {
    return `${this.namespace}/${this.keyPairName}`;
  }
}
