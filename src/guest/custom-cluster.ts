import { Construct } from 'constructs';
import { checkNode, nodeCommand, NodeCommand } from './_node-command';
import { ProvisionedCluster } from './_provisioned-cluster';
import { CustomClusterProps } from './custom-cluster-props';
import { IGuestCluster } from './guest-cluster-ref';
import { MachineRoles } from './machine-roles';
import { NodeRegistration, NodeRegistrationOptions } from './node-registration';
import { CloudInit, CloudInitCommand, CloudInitFile } from '../harvester/cloud-init';
import { AGENT_VAR_DIR } from '../model/checks/agent-env-vars';
import { pemBlocks } from '../model/checks/certificates';
import { failOnErrors } from '../model/errors';
import { VM_CREATOR_DRIVER, VM_LABEL_CREATOR, VM_LABEL_GUEST_CLUSTER } from '../model/guest-names';
import { DEFAULT_TOKEN } from '../model/names';
import { RegistrationToken } from '../rancher';
import { lateToken } from '../rancher/_late-token';
import { agentEnv } from '../rancher/_provisioning-cluster';

/**
 * A guest cluster of RKE2 or K3s whose machines are made by others: virtual machines of the program's, on a Harvester or elsewhere. Rancher installs
 * Kubernetes on each that runs the registration command.
 *
 * On Rancher: a provisioning Cluster without machine pools, and with a token of your own the Namespace of the cluster and the token's Secret.
 *
 * Virtual machines on a Harvester need `vmLabels`, on themselves and in their templates, and network cards called `nic-<number>`: by them the cloud
 * provider and Harvester know whose they are. Deleting the cluster leaves them running.
 *
 * @see https://ranchermanager.docs.rancher.com/reference-guides/cluster-configuration/rancher-server-configuration/use-existing-nodes
 */
export class CustomCluster extends ProvisionedCluster implements IGuestCluster {
  /** Labels that virtual machines of the cluster need on a Harvester. */
  public readonly vmLabels: { readonly [key: string]: string };
  /**
   * The token of the program's that nodes register with.
   * @default - Rancher's own, or none asked for
   */
  public readonly token?: RegistrationToken;
  private readonly env: NodeCommand['env'];

  constructor(scope: Construct, id: string, props: CustomClusterProps) {
    super(scope, id, 'CustomCluster', props, {
      harvester: props.harvester,
      namespace: props.namespace,
      check: () => [],
      write: (_context, parts) => {
        if (props.credential) { parts.before.push(props.credential); }
        return { credentialName: props.credential?.credentialName };
      },
    });
    this.vmLabels = { [VM_LABEL_GUEST_CLUSTER]: this.name, [VM_LABEL_CREATOR]: VM_CREATOR_DRIVER };
    const agentDirectory = props.dataDirectories?.systemAgent;
    this.env = [...(agentEnv(props.agentEnvVars) ?? []), ...(agentDirectory ? [{ name: AGENT_VAR_DIR, value: agentDirectory }] : [])];
    if (props.token && props.token._form !== 'default') { this.token = new RegistrationToken(this, 'Token', { cluster: this, source: props.token }); }
  }

  /**
   * What makes a machine a node of this cluster: a command, and user data that runs it. Both hold the token, which is a late value unless
   * TokenSource.value named it.
   *
   * @param roles of the node; all nodes together need each role
   */
  public nodeRegistration(roles: MachineRoles, options: NodeRegistrationOptions = {}): NodeRegistration {
    failOnErrors(this, [...checkNode(roles, options)]);
    const token = this.token?._value() ?? lateToken(this, this, DEFAULT_TOKEN).token;
    const command: NodeCommand = { rancher: this.rancher, token, roles, options, env: this.env };
    const { caCertificates } = this.rancher;
    return NodeRegistration._of(nodeCommand(command, false), CloudInit.of({
      guestAgent: options.guestAgent,
      // so curl trusts the Rancher without being told to trust everybody
      caCertificates: caCertificates === undefined ? undefined : pemBlocks(caCertificates),
      files: this._files.map(({ path, content, encoding, owner, permissions }) => (
        encoding === 'b64' ? CloudInitFile.base64(path, content, { owner, permissions }) : CloudInitFile.text(path, content, { owner, permissions }))),
      runCommands: [CloudInitCommand.shell(nodeCommand(command, true))],
    }));
  }
}
