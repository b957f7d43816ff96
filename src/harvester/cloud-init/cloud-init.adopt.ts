import { CLOUD_CONFIG_HEADER, GUEST_AGENT_PACKAGE, GUEST_AGENT_SERVICE } from './cloud-init.check';
import {
  DraftProps,
  DraftValue,
  SecretRead,
  StaticCall,
  call,
  variableName,
  optional,
} from '../../core/draft/draft';
import { isRecord, sameValue, Fields } from '../../core/manifest/manifest';
import { tryYaml } from '../../core/yaml/yaml-reader';

const INSTALL_COMMAND = ['systemctl', 'enable', '--now', GUEST_AGENT_SERVICE];
const PREINSTALLED = `# ${GUEST_AGENT_PACKAGE} is in the image\n`;

/** A value that the props cannot express. */
const NONE = Symbol('none');

/**
 * User data as a program writes it by props; undefined where they cannot express it.
 *
 * @param text the plain text
 * @param files the paths of files that a cluster adds at the end
 */
export function cloudInitCall(text: string, files: readonly string[] = []): StaticCall | undefined {
  const fields = mapOf(text);
  if (!fields || !text.startsWith(CLOUD_CONFIG_HEADER)) {
    return undefined;
  }
  const { write_files: written, ...rest } = fields;
  const own = Array.isArray(written)
    ? written.filter((file) => !isRecord(file) || !files.includes(String(file.path)))
    : written;
  const props = propsOf(
    { ...rest, ...(Array.isArray(own) && own.length === 0 ? {} : { write_files: own }) },
    text.includes(PREINSTALLED),
  );
  return props && call('CloudInit', 'of', ...optional(props));
}

/** User data as a program writes it by its text. */
export function cloudInitTextCall(text: string): StaticCall {
  return call('CloudInit', 'fromYaml', text);
}

function mapOf(text: string): Fields | undefined {
  const { documents = [] } = tryYaml(text);
  return documents.length === 1 && isRecord(documents[0]) ? documents[0] : undefined;
}

function propsOf(fields: Fields, isPreinstalled: boolean): DraftProps | undefined {
  const {
    hostname,
    timezone,
    ntp,
    ca_certs: certificates,
    growpart,
    users,
    ssh_authorized_keys: keys,
    ssh_pwauth: passwords,
    bootcmd,
    write_files: files,
    package_update: update,
    package_upgrade: upgrade,
    packages,
    runcmd,
    ...other
  } = fields;
  const agent = agentOf(isPreinstalled, update, packages, runcmd);
  if (!agent) {
    return undefined;
  }
  const props = {
    guestAgent: agent.prop,
    packages: texts(agent.packages),
    packageUpdate: agent.update as DraftValue,
    packageUpgrade: upgrade as DraftValue,
    files: items(files, fileOf),
    runCommands: items(agent.commands, commandOf),
    bootCommands: items(bootcmd, commandOf),
    sshAuthorizedKeys: texts(keys),
    ...usersOf(users),
    sshPasswordAuth: passwords as DraftValue,
    hostname: hostname as DraftValue,
    timezone: timezone as DraftValue,
    ntpServers: only(ntp, { enabled: true }, 'servers'),
    trustedCertificates: only(certificates, {}, 'trusted'),
    growPartitions: only(growpart, { mode: 'auto' }, 'devices'),
    other: Object.keys(other).length > 0 ? (other as DraftProps) : undefined,
  };
  return Object.values(props).includes(NONE as never) ? undefined : (props as DraftProps);
}

function agentOf(isPreinstalled: boolean, update: unknown, packages: unknown, commands: unknown) {
  if (isPreinstalled) {
    return { prop: call('GuestAgent', 'preinstalled'), update, packages, commands };
  }
  if (
    !Array.isArray(packages) ||
    packages[0] !== GUEST_AGENT_PACKAGE ||
    !Array.isArray(commands) ||
    !sameValue(commands[0], INSTALL_COMMAND)
  ) {
    return undefined;
  }
  return {
    prop:
      update === undefined ? call('GuestAgent', 'install', { packageUpdate: false }) : undefined,
    update: update === true ? undefined : update,
    packages: packages.slice(1),
    commands: commands.slice(1),
  };
}

function texts(list: unknown): readonly string[] | undefined | typeof NONE {
  return items(list, (each) => (typeof each === 'string' ? each : NONE)) as
    readonly string[] | undefined;
}

function items(
  list: unknown,
  map: (item: unknown) => DraftValue | typeof NONE,
): DraftValue | typeof NONE {
  if (list === undefined || (Array.isArray(list) && list.length === 0)) {
    return undefined;
  }
  if (!Array.isArray(list)) {
    return NONE;
  }
  const made = list.map(map);
  return made.includes(NONE) ? NONE : (made as DraftValue[]);
}

/** The list at a key of a map whose other keys have these values. */
function only(map: unknown, others: Fields, key: string): DraftValue | typeof NONE {
  if (map === undefined) {
    return undefined;
  }
  if (!isRecord(map)) {
    return NONE;
  }
  const { [key]: list, ...rest } = map;
  return sameValue(rest, others) && Array.isArray(list) ? texts(list) : NONE;
}

function commandOf(command: unknown): DraftValue | typeof NONE {
  if (typeof command === 'string') {
    return call('CloudInitCommand', 'shell', command);
  }
  return Array.isArray(command) && command.every((each) => typeof each === 'string')
    ? call('CloudInitCommand', 'exec', ...(command as string[]))
    : NONE;
}

function fileOf(file: unknown): DraftValue | typeof NONE {
  if (!isRecord(file)) {
    return NONE;
  }
  const { path, content, encoding, owner, permissions, append, defer, ...unknown } = file;
  const isKnown =
    Object.keys(unknown).length === 0 && (encoding === undefined || encoding === 'b64');
  if (typeof path !== 'string' || typeof content !== 'string' || !isKnown) {
    return NONE;
  }
  const options = { owner, permissions, append, defer } as DraftProps;
  return call(
    'CloudInitFile',
    encoding === 'b64' ? 'base64' : 'text',
    path,
    content,
    ...optional(options),
  );
}

function usersOf(users: unknown): { readonly [prop: string]: DraftValue | typeof NONE } {
  if (!Array.isArray(users)) {
    return { users: users === undefined ? undefined : NONE };
  }
  const isKept = users[0] === 'default';
  const own = isKept ? users.slice(1) : users;
  return {
    users: own.length === 0 ? NONE : items(own, userOf),
    defaultUser: isKept ? undefined : false,
  };
}

function userOf(user: unknown): DraftValue | typeof NONE {
  if (!isRecord(user)) {
    return NONE;
  }
  const {
    name,
    gecos,
    uid,
    system,
    homedir,
    shell,
    groups,
    sudo,
    lock_passwd: locked,
    passwd,
    ssh_authorized_keys: keys,
    ...unknown
  } = user;
  const hasPassword = typeof passwd === 'string' && locked === false;
  if (
    Object.keys(unknown).length > 0 ||
    (!hasPassword && (passwd !== undefined || locked !== undefined))
  ) {
    return NONE;
  }
  const lists = [texts(keys), texts(sudo), texts(groups)];
  if (lists.includes(NONE)) {
    return NONE;
  }
  const [sshAuthorizedKeys, sudoRules, groupNames] = lists as (readonly string[] | undefined)[];
  return {
    name: name as string,
    sshAuthorizedKeys,
    sudo: sudoRules,
    groups: groupNames,
    shell: shell as DraftValue,
    passwordHash: hasPassword
      ? new SecretRead(passwd, variableName(name, 'password', 'hash'))
      : undefined,
    gecos: gecos as DraftValue,
    homeDirectory: homedir as DraftValue,
    uid: uid as DraftValue,
    system: system as DraftValue,
  };
}

/** Network data as a program writes it. By its text where the props cannot express it. */
export function networkDataOf(text: string): StaticCall {
  const data = mapOf(text);
  if (data?.version === 2) {
    return networkDataCall('v2', v2Props(data), text);
  }
  if (data?.version === 1) {
    return networkDataCall('v1', v1Props(data), text);
  }
  return networkDataText(text);
}

function networkDataCall(
  version: 'v1' | 'v2',
  props: DraftProps | typeof NONE,
  text: string,
): StaticCall {
  return props === NONE ? networkDataText(text) : call('NetworkData', version, props);
}

/** Network data as a program writes it by its text. */
export function networkDataText(text: string): StaticCall {
  return call('NetworkData', 'fromYaml', text);
}

function v2Props({ version: _, ethernets, ...unknown }: Fields): DraftProps | typeof NONE {
  if (!isRecord(ethernets) || Object.keys(unknown).length > 0) {
    return NONE;
  }
  const devices = Object.entries(ethernets).map(
    ([name, device]) => [name, deviceOf(device)] as const,
  );
  return devices.some(([, device]) => device === NONE)
    ? NONE
    : { ethernets: Object.fromEntries(devices) as DraftProps };
}

function deviceOf(device: unknown): DraftProps | typeof NONE {
  if (!isRecord(device)) {
    return NONE;
  }
  const { dhcp4, dhcp6, addresses, routes, nameservers = {}, mtu, match = {}, ...unknown } = device;
  if (!isRecord(nameservers) || !isRecord(match) || Object.keys(unknown).length > 0) {
    return NONE;
  }
  const { addresses: servers, search, ...unknownNames } = nameservers;
  const { macaddress, ...unknownMatch } = match;
  const lists = [texts(addresses), texts(servers), texts(search)];
  if (lists.includes(NONE) || Object.keys({ ...unknownNames, ...unknownMatch }).length > 0) {
    return NONE;
  }
  return {
    dhcp4,
    dhcp6,
    addresses: lists[0],
    routes,
    nameservers: lists[1],
    searchDomains: lists[2],
    mtu,
    macAddress: macaddress,
  } as DraftProps;
}

function v1Props({ config, version: _, ...unknown }: Fields): DraftProps | typeof NONE {
  if (!Array.isArray(config) || Object.keys(unknown).length > 0 || !config.every(isRecord)) {
    return NONE;
  }
  const names = config.filter(({ type }) => type === 'nameserver');
  const nics = config.filter(({ type }) => type === 'physical');
  const isLast = names.length === 0 || config[config.length - 1] === names[0];
  if (names.length > 1 || names.length + nics.length < config.length || !isLast) {
    return NONE;
  }
  const interfaces = nics.map(
    ({ type: __, name, mac_address: macAddress, mtu, subnets, ...more }) => {
      const list = sameValue(subnets, [{ type: 'dhcp' }]) ? undefined : items(subnets, subnetOf);
      return list === NONE || Object.keys(more).length > 0
        ? NONE
        : { name, subnets: list, macAddress, mtu };
    },
  );
  if (interfaces.includes(NONE)) {
    return NONE;
  }
  const [{ address, search } = {} as Fields] = names;
  return { interfaces, nameservers: texts(address), searchDomains: texts(search) } as DraftProps;
}

function subnetOf(subnet: unknown): DraftProps | typeof NONE {
  if (!isRecord(subnet)) {
    return NONE;
  }
  const { type, address, gateway, ...unknown } = subnet;
  if (Object.keys(unknown).length > 0) {
    return NONE;
  }
  if (type === 'dhcp' && address === undefined) {
    return {};
  }
  return type === 'static' && typeof address === 'string'
    ? ({ address, gateway } as DraftProps)
    : NONE;
}
