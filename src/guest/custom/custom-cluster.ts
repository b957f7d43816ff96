import { createHash } from 'crypto';
import { Construct } from 'constructs';
import { INamespace, IRancherTarget } from '../../core/construct/target';
import { RFC1123_LABEL } from '../../core/manifest/names';
import { pemBlocks } from '../../core/problem/certificates';
import {
  LABEL_NAME_FIX,
  LABEL_VALUE_FIX,
  labelNameFault,
  labelValueFault,
  rfc1123LabelProblem,
} from '../../core/problem/label';
import { Problem, failOnErrors } from '../../core/problem/problem';
import { quote } from '../../core/text/plain-text';
import { CloudInit } from '../../harvester/cloud-init/cloud-init';
import {
  CloudInitCommand,
  CloudInitFile,
  GuestAgent,
} from '../../harvester/cloud-init/cloud-init-props';
import { agentEnv } from '../../rancher/cluster/managed-cluster';
import { AGENT_VAR_DIR } from '../../rancher/cluster/provisioning-cluster.check';
import { ICloudCredential } from '../../rancher/credential/cloud-credential';
import { IHarvesterImport } from '../../rancher/import/harvester-import';
import { RegistrationToken, TokenSource, lateToken } from '../../rancher/import/registration-token';
import { DEFAULT_TOKEN } from '../../rancher/import/registration-token.kind';
import {
  NODE_OS_LABEL,
  SYSTEM_AGENT_INSTALL_PATH,
  VM_CREATOR_DRIVER,
  VM_LABEL_CREATOR,
  VM_LABEL_GUEST_CLUSTER,
} from '../cluster/cluster.kind';
import { ProvisionedCluster } from '../cluster/provisioned-cluster';
import { ProvisionedClusterProps } from '../cluster/provisioned-cluster-props';
import { MachineRoles, MachineTaint } from '../machine-pool/machine-pool';
import { IGuestCluster } from '../parts/guest-cluster-ref';

/** Properties of a custom cluster. */
export interface CustomClusterProps extends ProvisionedClusterProps {
  /**
   * The import of the Harvester cluster that the machines run on.
   * @default - the machines run elsewhere, without the Harvester cloud provider
   */
  readonly harvesterImport?: IHarvesterImport;
  /**
   * The namespace of the machines on that Harvester cluster.
   * @default - unknown: no Harvester cloud provider
   */
  readonly vmNamespace?: INamespace;
  /**
   * The cloud credential that Rancher's UI shows for the cluster. It has no other effect.
   * @default - no credential
   */
  readonly credential?: ICloudCredential;
  /**
   * The source of the token with which nodes register. With TokenSource.value the registration
   * command is known at synthesis; that nodes join with it was read in Rancher's source code and is
   * unconfirmed on a running system.
   * @default TokenSource.rancherDefault()
   */
  readonly registrationToken?: TokenSource;
}

/** Options of a node that registers with a custom cluster. */
export interface NodeRegistrationOptions {
  /** The name of the node; only for a single machine. @default - the host name of the machine */
  readonly nodeName?: string;
  /** Labels of the node. @default - none */
  readonly nodeLabels?: { readonly [key: string]: string };
  /** Taints of the node. @default - none */
  readonly taints?: MachineTaint[];
  /**
   * The external address of the node, or the name of a network card.
   * @default - detected by the node
   */
  readonly address?: string;
  /**
   * The internal address of the node, or the name of a network card.
   * @default - detected by the node
   */
  readonly internalAddress?: string;
  /**
   * The SHA-256 of Rancher's response at `/cacerts`, in hexadecimal.
   * @default - the checksum of the chart's caCertificates, if set
   */
  readonly caChecksum?: string;
  /**
   * Whether the machine downloads the registration script, which runs as root, without verifying
   * Rancher's certificate.
   * @default false
   */
  readonly insecureSkipTlsVerify?: boolean;
  /** How qemu-guest-agent is installed on the machine. @default GuestAgent.install() */
  readonly guestAgent?: GuestAgent;
}

/**
 * The registration of a node of a custom cluster. It contains the registration token, with which
 * anyone can add nodes to the cluster.
 */
export class NodeRegistration {
  /** @internal */
  public static _of(command: string, cloudInit: CloudInit): NodeRegistration {
    return new NodeRegistration(command, cloudInit);
  }

  declare private readonly nominal: true;

  private constructor(
    /** The command that Rancher's UI shows, for a user who may use sudo. */
    public readonly command: string,
    /**
     * User data that installs qemu-guest-agent, trusts Rancher's CA and runs the command as root,
     * once Rancher answers. Combine it with your own user data with `CloudInit.combine`.
     */
    public readonly cloudInit: CloudInit,
  ) {}
}

/** The parts of a registration command. */
interface NodeCommand {
  readonly rancher: IRancherTarget;
  readonly token: string;
  readonly roles: MachineRoles;
  readonly options: NodeRegistrationOptions;
  /** Environment of Rancher's agents. */
  readonly env: readonly { readonly name: string; readonly value: string }[];
}

/**
 * The command that registers a node, in the form of Rancher and its UI.
 * @see rancher/rancher:pkg/controllers/dashboard/clusterregistrationtoken/status.go rke2NodeCommandFormat
 * @see rancher/dashboard:shell/edit/provisioning.cattle.io.cluster/CustomCommand.vue
 *
 * @param asRoot whether cloud-init runs it as root, possibly without sudo: it repeats the download until Rancher answers
 */
function nodeCommand(
  { rancher, token, roles, options, env }: NodeCommand,
  asRoot: boolean,
): string {
  const variables = env
    .filter(({ value }) => value !== '')
    .map(({ name, value }) => `${name}=${quote(value)} `)
    .join('');
  const {
    nodeName,
    address,
    internalAddress,
    nodeLabels: labels = {},
    taints = [],
    insecureSkipTlsVerify,
  } = options;
  const caChecksum = options.caChecksum ?? checksumOf(rancher.caCertificates);
  const words = [
    '--server',
    quote(rancher.serverUrl),
    '--label',
    `'${NODE_OS_LABEL}'`,
    '--token',
    quote(token),
    ...(caChecksum ? ['--ca-checksum', caChecksum] : []),
    ...(nodeName ? ['--node-name', quote(nodeName)] : []),
    ...(address ? ['--address', quote(address)] : []),
    ...(internalAddress ? ['--internal-address', quote(internalAddress)] : []),
    ...(roles.etcd ? ['--etcd'] : []),
    ...(roles.controlPlane ? ['--controlplane'] : []),
    ...(roles.worker ? ['--worker'] : []),
    ...Object.entries(labels).flatMap(([key, value]) => ['--label', quote(`${key}=${value}`)]),
    ...taints.flatMap(({ key, value = '', effect }) => [
      '--taint',
      quote(`${key}=${value}:${effect}`),
    ]),
  ];
  const url = quote(`${rancher.serverUrl}${SYSTEM_AGENT_INSTALL_PATH}`);
  const curl = `curl ${insecureSkipTlsVerify ? '--insecure ' : ''}-fL ${url}`;
  const script = words.join(' ');
  // cloud-init runs it only once; curl --retry gives up where a name cannot be resolved yet
  return asRoot
    ? `until ${variables}${curl} -o ${INSTALL_SCRIPT}; do sleep 10; done; ${variables}sh ${INSTALL_SCRIPT} ${script}`
    : `${variables}${curl} | sudo ${variables}sh -s - ${script}`;
}

/** Where a node keeps the script that registers it, until it restarts. */
const INSTALL_SCRIPT = '/run/rancher-system-agent-install.sh';

/**
 * The checksum in Rancher's own commands.
 * @see rancher/rancher:pkg/systemtemplate/import.go CAChecksum
 */
function checksumOf(certificates: string | undefined): string | undefined {
  if (!certificates) {
    return undefined;
  }
  return createHash('sha256')
    .update(certificates.endsWith('\n') ? certificates : `${certificates}\n`)
    .digest('hex');
}

/** Checks the options of a node. */
function* checkNode(
  roles: MachineRoles,
  { nodeName, nodeLabels: labels = {}, taints = [], caChecksum }: NodeRegistrationOptions,
): Iterable<Problem> {
  if (!roles.etcd && !roles.controlPlane && !roles.worker) {
    yield {
      path: 'roles',
      message: 'must have at least one role',
      fix: 'set roles, e.g. to MachineRoles.ALL',
      says: 'You must select at least one role.',
    };
  }
  if (nodeName !== undefined && !RFC1123_LABEL.test(nodeName)) {
    yield rfc1123LabelProblem('nodeName', nodeName);
  }
  if (caChecksum !== undefined && !/^[0-9a-f]{64}$/.test(caChecksum)) {
    yield {
      path: 'caChecksum',
      value: caChecksum,
      message: 'must be a SHA-256 in hexadecimal',
      fix: 'use 64 of 0-9 and a-f',
    };
  }
  for (const [key, value] of Object.entries(labels)) {
    yield* checkPair(`nodeLabels[${key}]`, key, value);
  }
  for (const [index, { key, value = '' }] of taints.entries()) {
    yield* checkPair(`taints[${index}]`, key, value);
  }
}

function* checkPair(path: string, key: string, value: string): Iterable<Problem> {
  const [name, text] = [labelNameFault(key), labelValueFault(value)];
  if (name) {
    yield {
      path,
      value: key,
      message: 'must be a valid label name',
      fix: LABEL_NAME_FIX,
      says: name,
    };
  }
  if (text) {
    yield { path, value, message: 'must be a valid label value', fix: LABEL_VALUE_FIX, says: text };
  }
}

/**
 * An RKE2 or K3s guest cluster whose machines Rancher does not create: virtual machines of the
 * program, on Harvester or elsewhere. Rancher installs Kubernetes on each machine that runs the
 * registration command.
 *
 * Creates on Rancher: a provisioning Cluster without machine pools; with your own token also the
 * Namespace of the cluster and the token's Secret.
 *
 * Virtual machines on Harvester need `vmLabels`, on themselves and in their templates, and network
 * cards named `nic-<number>`, by which the cloud provider and Harvester recognize them. They keep
 * running when the cluster is deleted.
 *
 * @see https://ranchermanager.docs.rancher.com/reference-guides/cluster-configuration/rancher-server-configuration/use-existing-nodes
 * @example
 * const edge = new CustomCluster(rancher, 'edge', {
 *   kubernetes: Kubernetes.rke2('v1.33.6+rke2r1'),
 *   harvesterImport: harvester,
 *   vmNamespace: new HarvesterNamespace(dc1, 'edge-vms'),
 * });
 * const registration = edge.nodeRegistration(MachineRoles.WORKER, { nodeName: 'edge-1' });
 * CloudInitTemplate.user(dc1, 'edge-node', registration.cloudInit);
 */
export class CustomCluster extends ProvisionedCluster implements IGuestCluster {
  /** The labels that virtual machines of the cluster need on Harvester. */
  public readonly vmLabels: { readonly [key: string]: string };
  /**
   * The token of the program with which nodes register.
   * @default - undefined with Rancher's default token
   */
  public readonly registrationToken?: RegistrationToken;
  private readonly env: NodeCommand['env'];

  constructor(scope: Construct, id: string, props: CustomClusterProps) {
    super(scope, id, props, {
      harvesterImport: props.harvesterImport,
      namespace: props.vmNamespace,
      check: () => [],
      write: (_context, parts) => {
        if (props.credential) {
          parts.before.push(props.credential);
        }
        return { credentialName: props.credential?.credentialId };
      },
    });
    this.vmLabels = { [VM_LABEL_GUEST_CLUSTER]: this.name, [VM_LABEL_CREATOR]: VM_CREATOR_DRIVER };
    const agentDirectory = props.dataDirectories?.systemAgent;
    this.env = [
      ...(agentEnv(props.agentEnvVars) ?? []),
      ...(agentDirectory ? [{ name: AGENT_VAR_DIR, value: agentDirectory }] : []),
    ];
    if (props.registrationToken && props.registrationToken._form !== 'default') {
      this.registrationToken = new RegistrationToken(this, 'Token', {
        cluster: this,
        source: props.registrationToken,
      });
    }
  }

  /**
   * The registration of a node of this cluster: a command, and user data that runs it. Both contain
   * the token, which is a late value unless it comes from TokenSource.value.
   *
   * @param roles of the node; all nodes together need every role
   */
  public nodeRegistration(
    roles: MachineRoles,
    options: NodeRegistrationOptions = {},
  ): NodeRegistration {
    failOnErrors(this, [...checkNode(roles, options)]);
    const token = this.registrationToken?._value() ?? lateToken(this, this, DEFAULT_TOKEN).token;
    const command: NodeCommand = { rancher: this.rancher, token, roles, options, env: this.env };
    const { caCertificates } = this.rancher;
    return NodeRegistration._of(
      nodeCommand(command, false),
      CloudInit.of({
        guestAgent: options.guestAgent,
        // so that curl verifies Rancher's certificate
        trustedCertificates: caCertificates === undefined ? undefined : pemBlocks(caCertificates),
        files: this._files.map(({ path, content, encoding, owner, permissions }) =>
          encoding === 'b64'
            ? CloudInitFile.base64(path, content, { owner, permissions })
            : CloudInitFile.text(path, content, { owner, permissions }),
        ),
        runCommands: [CloudInitCommand.shell(nodeCommand(command, true))],
      }),
    );
  }
}
