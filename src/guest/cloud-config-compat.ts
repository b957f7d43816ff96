import {
  CLUSTER_ROLE_CLOUD_PROVIDER, CLUSTER_ROLE_CSI_DRIVER, LEGACY_CLOUD_CONFIG_PATH, RKE2_CLOUD_CONFIG_PATH,
} from '../model/cloud-provider-names';
import { safeConcatName } from '../model/tenancy/backing-namespace';

/** A binding that goes with an account. */
export interface AccountBinding {
  readonly id: string;
  readonly name: string;
  readonly clusterRole: string;
  /** Whether it holds in every namespace. */
  readonly everywhere: boolean;
}

/** What one of upstream's tools writes. */
interface Form {
  readonly tokenSecret: (account: string) => string;
  readonly bindings: (account: string, namespace: string) => readonly AccountBinding[];
  readonly context: (account: string, namespace: string, cluster: string) => string;
  readonly defaultCluster: string;
  readonly paths: readonly string[];
  /** What stands before each line of a file. */
  readonly indent: string;
}

const roleBinding = (name: string): AccountBinding => ({ id: 'RoleBinding', name, clusterRole: CLUSTER_ROLE_CLOUD_PROVIDER, everywhere: false });
const csiBinding = (name: string): AccountBinding => ({ id: 'CsiBinding', name, clusterRole: CLUSTER_ROLE_CSI_DRIVER, everywhere: true });
const scriptContext = (account: string, namespace: string, cluster: string) => `${account}-${namespace}-${cluster}`;

/**
 * Whose names and rights the account of a cloud config has: that of Harvester's API, or of one of the scripts that came before it. For clusters
 * that were set up by one of them, so that what is there already is taken over.
 *
 * The owner references that they set are left out, since they need a uid that only the live cluster knows.
 */
export class CloudConfigCompat {
  /**
   * As `POST /v1/harvester/kubeconfig` of a Harvester, which Rancher's UI uses: the rights of the cloud provider in the namespace of the machines
   * only, those of the CSI driver in all. `GET` on that API refuses bindings without an owner reference: `is not owned by serviceAccount`.
   * @see harvester/harvester:pkg/api/kubeconfig/generate_handler.go
   */
  public static readonly API = new CloudConfigCompat({
    tokenSecret: (account) => safeConcatName(account, 'token'),
    bindings: (account, namespace) => [roleBinding(safeConcatName(namespace, account)), csiBinding(safeConcatName(namespace, account))],
    context: () => 'default',
    defaultCluster: 'default',
    paths: [LEGACY_CLOUD_CONFIG_PATH, RKE2_CLOUD_CONFIG_PATH],
    indent: '',
  });

  /**
   * As generate_addon.sh: the rights of the cloud provider in every namespace, by a ClusterRoleBinding that has the name of the account, so an
   * account of that name in a second namespace takes them away from the first. None of the CSI driver.
   * @see harvester/cloud-provider-harvester:deploy/generate_addon.sh
   */
  public static readonly CLOUD_PROVIDER_SCRIPT = new CloudConfigCompat({
    tokenSecret: (account) => `${account}-token`,
    bindings: (account) => [{ ...roleBinding(account), id: 'ClusterRoleBinding', everywhere: true }],
    context: scriptContext,
    defaultCluster: 'local',
    paths: [LEGACY_CLOUD_CONFIG_PATH],
    indent: '',
  });

  /**
   * As generate_addon_csi.sh of 2026-04-14 and later: the rights of `API` with the names of a script.
   * @see harvester/harvester-csi-driver:deploy/generate_addon_csi.sh
   */
  public static readonly CSI_SCRIPT = new CloudConfigCompat({
    tokenSecret: (account) => `${account}-token`,
    bindings: (account, namespace) => [roleBinding(`${namespace}-${account}`), csiBinding(`${namespace}-${account}`)],
    context: scriptContext,
    defaultCluster: 'local',
    paths: [RKE2_CLOUD_CONFIG_PATH],
    indent: '  ',
  });

  private constructor(
    /** @internal */
    public readonly _form: Form,
  ) {}

  /**
   * The `write_files` of user data that brings the cloud config to a machine, byte for byte.
   * @internal
   */
  public _userData(base64: string): string {
    const { indent, paths } = this._form;
    const lines = paths.flatMap((path) => [
      '- encoding: b64', `  content: ${base64}`, '  owner: root:root', `  path: ${path}`, "  permissions: '0644'",
    ]);
    return ['write_files:', ...lines.map((line) => indent + line), ''].join('\n');
  }
}
