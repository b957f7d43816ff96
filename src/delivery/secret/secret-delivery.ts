import { IConstruct } from 'constructs';
import { ExternalHiding, ExternalSecretsProps } from './external-hiding';
import { hideOutput } from './hide-output';
import { SecretHiding } from './hiding';
import { SealedHiding, SealedSecretsProps } from './sealed-hiding';
import { SopsHiding, SopsSecretsProps, problemOfRecipients } from './sops-hiding';
import { AssemblyObject, FileNames } from '../../core/output/assembly';
import { problemText } from '../../core/problem/problem';
import {
  DeliveredOutput,
  HiddenOutput,
  ISecretDelivery,
  PlainOutput,
} from '../../core/program/delivery-step';
import { chooseSecrets } from '../../core/program/secret-choice';
import { toYaml } from '../../core/yaml/yaml-writer';

/**
 * How secrets are kept in the output, which is made to be committed to Git.
 *
 * It applies to all Secrets, and to the fields of other objects that contain a secret: the
 * Harvester setting with the registration URL, registry credentials, passwords, user data. Names,
 * labels, annotations and types remain readable. `SecretDelivery.of(construct).use(…)` chooses another
 * way for a cluster, or for single objects.
 *
 * @example
 * import { HarvesterApp, SecretDelivery } from 'cdk8s-harvester';
 *
 * const app = new HarvesterApp({
 *   secrets: SecretDelivery.sops({ recipients: ['age1qyyappls469vacyphhuhw3m02mpjxqglxwr6gr40k67tpvfwr5dqw2vdh3'] }),
 * });
 */
export class SecretDelivery implements ISecretDelivery {
  /** Secrets are in plain text in the output: keep it out of Git, or encrypt it yourself. */
  public static plainText(): SecretDelivery {
    return new SecretDelivery();
  }

  /**
   * SOPS: each object with secrets is in a file of its own, `….sops.yaml`, whose secrets are
   * encrypted by the program `sops` with age keys.
   *
   * Flux decrypts the files. Unchanged secrets keep the bytes of their file if synthesis finds the
   * private key, as sops does (`SOPS_AGE_KEY_FILE`), or the environment variable
   * `CDK8S_HARVESTER_DIGEST_KEY`. Needs sops 3.11 or later.
   */
  public static sops(props: SopsSecretsProps): SecretDelivery {
    const wrong = problemOfRecipients(props.recipients);
    if (wrong) {
      throw new Error(problemText({ path: 'SecretDelivery.sops: recipients', ...wrong }));
    }
    return new SecretDelivery(new SopsHiding(props));
  }

  /**
   * Sealed Secrets: each Secret is a SealedSecret, whose values the program `kubeseal` encrypts for
   * the controller of one cluster.
   *
   * Flux, Argo CD, Fleet and `apply` deliver it as it is; the controller makes the Secret from it.
   * What else contains a secret, such as the Harvester setting with the registration URL, is in no
   * file: `apply` writes it. Values that did not change keep their bytes with the environment
   * variable `CDK8S_HARVESTER_DIGEST_KEY`. Needs kubeseal 0.24 or later.
   */
  public static sealedSecrets(props: SealedSecretsProps): SecretDelivery {
    return new SecretDelivery(new SealedHiding(props));
  }

  /**
   * External secrets: each Secret is an ExternalSecret, whose values the External Secrets Operator
   * 0.16 or later reads from a store. No value is written; the assembly, and `cdk8s-harvester
   * show`, list the keys that the store must contain.
   *
   * Flux, Argo CD, Fleet and `apply` deliver it as it is. What else contains a secret, and Secrets
   * that wait for late values, are in no file: `apply` writes them.
   */
  public static externalSecrets(props: ExternalSecretsProps): SecretDelivery {
    return new SecretDelivery(new ExternalHiding(props));
  }

  /**
   * How the secrets of a construct, and of all constructs below it, are kept; the choice at the
   * nearest construct wins.
   *
   * Without a choice, secrets are kept as `HarvesterApp({ secrets })` declares. Each cluster has
   * its own certificate for sealed secrets, for example.
   *
   * @example
   * SecretDelivery.of(dc1).use(SecretDelivery.externalSecrets({ store: 'vault' }));
   */
  public static of(construct: IConstruct): SecretChoice {
    return SecretChoice._of(construct);
  }

  private constructor(private readonly hiding?: SecretHiding) {}

  /** @internal */
  public get _isPlain(): boolean {
    return this.hiding === undefined;
  }

  /** @internal */
  public _hide(output: PlainOutput, others?: ISecretDelivery): HiddenOutput | undefined {
    return hideOutput(output, (id) => {
      const chosen = output.choices?.get(id) ?? others;
      return chosen && ((chosen as SecretDelivery).hiding ?? 'plain');
    });
  }

  /** @internal */
  public _undelivered(output: PlainOutput): DeliveredOutput {
    return undelivered(output);
  }
}

/**
 * How the secrets of a construct, of all constructs below it, and of what it wrote on other
 * clusters are kept in the output; the choice at the nearest construct wins. That of a chart is for
 * the objects on its cluster.
 */
export class SecretChoice {
  /** The choice of a construct. @internal */
  public static _of(construct: IConstruct): SecretChoice {
    return new SecretChoice(construct);
  }

  private constructor(private readonly construct: IConstruct) {}

  /** Keeps the secrets in this way. @param delivery one of the factories of `SecretDelivery` */
  public use(delivery: SecretDelivery): void {
    chooseSecrets(this.construct, delivery);
  }
}

/** The files of an output without an engine, in which some objects have files of their own. */
function undelivered({ assembly, manifests, layout, order, hiding }: PlainOutput): DeliveredOutput {
  const names = new FileNames(layout);
  const byId = new Map(assembly.objects.map((object) => [object.id, object]));
  const files = new Map<string, string>();
  const written = new Map<string, string>();
  for (const id of order ??
    assembly.objects.filter(({ file }) => file !== undefined).map(({ id: each }) => each)) {
    const { target, file } = byId.get(id)!;
    const manifest = manifests.get(id)!;
    const own = hiding?.ownFiles.get(id);
    const name = own === undefined ? file! : names.of(target, manifest, 0, own);
    const before = files.get(name);
    files.set(name, before === undefined ? toYaml(manifest) : `${before}---\n${toYaml(manifest)}`);
    written.set(id, name);
  }
  const objects = assembly.objects.map((object): AssemblyObject => {
    const file = written.get(object.id);
    return file === undefined ? object : { ...object, file };
  });
  return { assembly: { ...assembly, objects }, files };
}
