import { checkCloudInit } from './check-cloud-init';
import { CloudInitCommand } from './cloud-init-command';
import { CloudInitProps } from './cloud-init-props';
import { userFields } from './cloud-init-user';
import { GuestAgent } from './guest-agent';
import { checkUserData } from '../../model/checks/user-data';
import { defined, filledList } from '../../model/defined';
import { CloudConfig, mergeCloudConfigs, orderedCloudConfig } from '../../model/machine-config/cloud-config';
import { CLOUD_CONFIG_HEADER, JINJA_HEADER } from '../../model/machine-config/names';
import { Problem, problemText } from '../../model/problem';
import { sortedKeys } from '../../model/sorted-keys';
import { readYaml } from '../../model/yaml-reader';
import { toYaml } from '../../model/yaml-writer';

/**
 * Options of cloud-init user data that is there as text.
 */
export interface CloudInitTextOptions {
  /** How the machine gets qemu-guest-agent, beside what the text says. @default - as the text says */
  readonly guestAgent?: GuestAgent;
}

/**
 * What a machine does at its first start: user data for cloud-init, for pools of machines, for virtual machines and for nodes of custom clusters.
 *
 * The same arguments give the same bytes in every version of this library, since Rancher replaces all machines of a pool when they change.
 * Machines of a pool get besides it what Rancher needs: its ssh key and the script that installs Kubernetes, after the commands here.
 *
 * @see https://cloudinit.readthedocs.io/en/latest/reference/modules.html
 */
export class CloudInit {
  /**
   * User data from its parts. Installs qemu-guest-agent unless told otherwise.
   *
   * @param props what to do
   */
  public static of(props: CloudInitProps = {}): CloudInit {
    throwErrors('CloudInit.of', checkCloudInit(props));
    return new CloudInit(fieldsOf(props), props.guestAgent ?? GuestAgent.install());
  }

  /**
   * User data that is there as text: a YAML map, as it stands unless something must be added to it.
   *
   * The node driver reads it as YAML too, so scripts (`#!`) and MIME archives are refused. A jinja template must begin with the line
   * `## template: jinja`, and be YAML before it is filled.
   *
   * @param text the header `#cloud-config` is put before it where it is missing
   */
  public static fromYaml(text: string, options: CloudInitTextOptions = {}): CloudInit {
    throwErrors('CloudInit.fromYaml', [...checkHeader(text), ...checkUserData('text', text)]);
    const fields = readYaml(text)[0] as CloudConfig | null | undefined;
    // a machine would take it; who writes it out means something
    if (!fields) { throwErrors('CloudInit.fromYaml', [{ path: 'text', message: 'is no YAML map: it holds nothing', fix: 'write keys such as packages, runcmd, write_files' }]); }
    const whole = text.startsWith(JINJA_HEADER) || text.startsWith(CLOUD_CONFIG_HEADER.trim()) ? text : CLOUD_CONFIG_HEADER + text;
    return new CloudInit(fields!, options.guestAgent ?? GuestAgent._unsaid(), whole);
  }

  /**
   * Several user data as one: lists are joined in this order. Where two say something else of the same thing, that is an error.
   *
   * @param parts one at least
   */
  public static combine(...parts: CloudInit[]): CloudInit {
    if (parts.length === 1) { return parts[0]; }
    const agents = parts.map((part) => part.agent);
    const agent = agents.find(({ _fields }) => Object.keys(_fields).length > 0) ?? agents.find(({ _comment }) => _comment !== '') ?? GuestAgent._unsaid();
    const { fields, problems } = mergeCloudConfigs(parts.map((part) => part.fields));
    throwErrors('CloudInit.combine', problems);
    return new CloudInit(fields, agent, undefined, parts.some(({ isJinja }) => isJinja));
  }

  private readonly isJinja: boolean;

  private constructor(private readonly fields: CloudConfig, private readonly agent: GuestAgent, private readonly text?: string, isJinja = false) {
    this.isJinja = isJinja || (text?.startsWith(JINJA_HEADER) ?? false);
  }

  /** The user data as text, with the header `#cloud-config`. */
  public toText(): string {
    return this._render([]);
  }

  /**
   * The user data with files of the cluster that the machine becomes a node of.
   * @internal
   */
  public _render(files: readonly { readonly [key: string]: unknown }[]): string {
    if (this.text !== undefined && files.length === 0 && isNothing(this.agent)) { return this.text; }
    // the agent comes first: Rancher waits for the address that it tells
    const { fields, problems } = mergeCloudConfigs([this.agent._fields, this.fields, files.length > 0 ? { write_files: files } : {}], ['package_update']);
    throwErrors('CloudInit', problems);
    return `${this.isJinja ? JINJA_HEADER : ''}${CLOUD_CONFIG_HEADER}${this.agent._comment}${toYaml(orderedCloudConfig(fields))}`;
  }

  /** The key that settles the host name, which is Rancher's to settle for machines of a pool. @internal */
  public _hostnameKey(): string | undefined {
    return ['hostname', 'fqdn', 'preserve_hostname'].find((key) => this.fields[key] !== undefined && this.fields[key] !== false);
  }
}

function isNothing({ _fields, _comment }: GuestAgent): boolean {
  return _comment === '' && Object.keys(_fields).length === 0;
}

function fieldsOf(props: CloudInitProps): CloudConfig {
  const commands = (list?: readonly CloudInitCommand[]): unknown[] | undefined => filledList(list?.map(({ _command: command }) => command));
  const users = props.users?.map(userFields) ?? [];
  const fields: CloudConfig = {
    hostname: props.hostname,
    timezone: props.timezone,
    ntp: props.ntpServers && { enabled: true, servers: [...props.ntpServers] },
    ca_certs: props.caCertificates && { trusted: [...props.caCertificates] },
    growpart: props.growPartitions && { mode: 'auto', devices: [...props.growPartitions] },
    // a list of users without `default` drops the image's own, to whom Rancher's key goes
    users: users.length === 0 ? undefined : props.defaultUser ?? true ? ['default', ...users] : users,
    ssh_authorized_keys: filledList(props.sshAuthorizedKeys),
    ssh_pwauth: props.sshPasswordAuth,
    bootcmd: commands(props.bootCommands),
    write_files: filledList(props.files?.map((file) => file._render())),
    package_update: props.packageUpdate,
    package_upgrade: props.packageUpgrade || undefined,
    packages: filledList(props.packages),
    runcmd: commands(props.runCommands),
    // a map of some languages has no order, and another one would replace machines
    ...sortedKeys(props.other),
  };
  return defined(fields);
}

function checkHeader(text: string): Problem[] {
  if (!/^##\s*template\s*:/i.test(text) || text.startsWith(JINJA_HEADER)) { return []; }
  return [{
    path: 'text',
    value: text.split('\n', 1)[0],
    message: 'is no header that the node driver keeps, so the template would never be filled',
    fix: `begin with the line ${JSON.stringify(JINJA_HEADER.trim())} and a line break, exactly`,
  }];
}

// no construct is at hand yet, so the name of the call says where
function throwErrors(where: string, problems: Iterable<Problem>): void {
  const errors = [...problems].filter(({ level }) => level !== 'warning');
  if (errors.length > 0) { throw new Error(errors.map((problem) => `${where}: ${problemText(problem)}`).join('\n')); }
}
