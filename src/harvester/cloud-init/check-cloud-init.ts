import { CloudInitProps } from './cloud-init-props';
import { CloudInitUser } from './cloud-init-user';
import { isLate } from '../../model/late-token';
import { Problem } from '../../model/problem';

const USER_NAME = /^[a-z_][-a-z0-9_]{0,31}$/;
const PUBLIC_KEY = /(?:^|\s)(?:ssh-|ecdsa-|sk-)[a-z0-9@.-]+ +[A-Za-z0-9+/]{16,}={0,3}(?:\s|$)/;

/** The props that a key of cloud-init has here. */
const TYPED: { readonly [key: string]: string } = {
  hostname: 'hostname',
  timezone: 'timezone',
  ntp: 'ntpServers',
  ca_certs: 'caCertificates',
  growpart: 'growPartitions',
  users: 'users',
  ssh_authorized_keys: 'sshAuthorizedKeys',
  ssh_pwauth: 'sshPasswordAuth',
  bootcmd: 'bootCommands',
  write_files: 'files',
  package_update: 'packageUpdate',
  package_upgrade: 'packageUpgrade',
  packages: 'packages',
  runcmd: 'runCommands',
};

/** What is wrong with user data as it is given by its parts. */
export function* checkCloudInit(props: CloudInitProps): Iterable<Problem> {
  yield* checkFiles(props);
  yield* checkUsers(props.users ?? []);
  yield* checkKeys('sshAuthorizedKeys', props.sshAuthorizedKeys);
  for (const [index, name] of (props.packages ?? []).entries()) {
    if (name.trim() === '' || /\s/.test(name)) {
      yield {
        path: `packages[${index}]`, value: name, message: 'is no name of a package', fix: 'give one package each',
      };
    }
  }
  for (const list of ['runCommands', 'bootCommands'] as const) {
    for (const [index, { _command }] of (props[list] ?? []).entries()) {
      if (_command.length === 0) {
        yield {
          path: `${list}[${index}]`, message: 'is no command', fix: 'give a line for the shell, or a program and its arguments',
        };
      }
    }
  }
  for (const key of Object.keys(props.other ?? {})) {
    if (TYPED[key]) { yield { path: `other.${key}`, message: 'has a prop of its own', fix: `use ${TYPED[key]}` }; }
  }
  for (const [index, pem] of (props.caCertificates ?? []).entries()) {
    if (!isLate(pem) && !/-----BEGIN CERTIFICATE-----[^]+-----END CERTIFICATE-----/.test(pem)) {
      yield { path: `caCertificates[${index}]`, message: 'is no certificate in PEM form', fix: 'give the text from -----BEGIN CERTIFICATE----- on' };
    }
  }
}

function* checkFiles(props: CloudInitProps): Iterable<Problem> {
  const written = new Set<string>();
  for (const [index, { _path, _options: { permissions, append } }] of (props.files ?? []).entries()) {
    if (!_path.startsWith('/')) { yield { path: `files[${index}]`, value: _path, message: 'is no absolute path', fix: 'begin with /' }; }
    if (permissions !== undefined && !/^[0-7]{4}$/.test(permissions)) {
      yield {
        path: `files[${index}].permissions`,
        value: permissions,
        message: 'is no set of permissions',
        fix: 'give four octal digits, e.g. 0644',
      };
    }
    if (written.has(_path) && !append) {
      yield {
        path: `files[${index}]`, value: _path, message: 'is written twice, and the last one wins', fix: 'write it once, or append',
      };
    }
    written.add(_path);
  }
}

function* checkUsers(users: readonly CloudInitUser[]): Iterable<Problem> {
  const seen = new Set<string>();
  for (const [index, user] of users.entries()) {
    const path = `users[${index}]`;
    if (user.name === 'default') {
      yield { path: `${path}.name`, value: user.name, message: 'is what cloud-init calls the image\'s own user', fix: 'use defaultUser' };
    } else if (!USER_NAME.test(user.name)) {
      yield {
        path: `${path}.name`,
        value: user.name,
        message: 'is no login name',
        fix: 'use up to 32 of a-z, 0-9, _ and -, beginning with a letter or _',
      };
    }
    if (seen.has(user.name)) { yield { path: `${path}.name`, value: user.name, message: 'is the name of two users', fix: 'give each user once' }; }
    seen.add(user.name);
    yield* checkKeys(`${path}.sshAuthorizedKeys`, user.sshAuthorizedKeys);
    const hash = user.passwordHash?._unwrap();
    if (hash !== undefined && !isLate(hash) && !/^[$_]/.test(hash)) {
      // never the value: people put the password itself here
      yield { path: `${path}.passwordHash`, message: 'is no hash of a password', fix: 'give what mkpasswd -m sha-512 prints; it begins with $' };
    }
  }
}

function* checkKeys(path: string, keys: readonly string[] = []): Iterable<Problem> {
  for (const [index, key] of keys.entries()) {
    if (/PRIVATE KEY/.test(key)) {
      yield { path: `${path}[${index}]`, message: 'is a private key', fix: 'give the public one, as in a file .pub' };
    } else if (!isLate(key) && !PUBLIC_KEY.test(key.trim())) {
      yield {
        path: `${path}[${index}]`,
        value: key,
        message: 'is no public key in OpenSSH\'s format',
        fix: 'give one line as in a file .pub, e.g. ssh-ed25519 AAAA… name',
      };
    } else if (/[\r\n]/.test(key.trim())) {
      yield { path: `${path}[${index}]`, message: 'has several lines', fix: 'give each key as an item of its own' };
    }
  }
}
