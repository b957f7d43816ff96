import { Problem } from '../../core/rule/problem';
import { problemOfRecipients } from '../../delivery/secret/sops-hiding';

/** Languages of programs that `init` writes. */
export const LANGUAGES = ['typescript', 'python'] as const;
/** What applies the output. */
export const DELIVERIES = ['apply', 'flux', 'argocd', 'fleet'] as const;
/** Systems that run pipelines. */
export const CI_SYSTEMS = ['github', 'gitlab', 'none'] as const;
/** How the output keeps secrets. */
export const SECRETS = ['none', 'sops'] as const;

/** What the user chose for a new project. */
export interface Choices {
  readonly language: (typeof LANGUAGES)[number];
  readonly delivery: (typeof DELIVERIES)[number];
  readonly ci: (typeof CI_SYSTEMS)[number];
  readonly secrets: (typeof SECRETS)[number];
  /** URL of the Git repository, for an engine. */
  readonly repository?: string;
  /** Public keys for sops. */
  readonly recipients: readonly string[];
}

/** A URL that engines take; without what would end a string of a program or of YAML. */
const URL_FORM = /^(?:https?|ssh):\/\/[\w.@:/~+%-]+$/;
/** The short form of ssh, which Flux does not take. */
const SHORT_FORM = /^(?<login>[\w.-]+@[\w.-]+):(?<path>[\w./~+%-]+)$/;
const WITH_CREDENTIALS = /^\w+:\/\/[^/@]*:[^/@]*@|^https?:\/\/[^/@]*@/;

/** What is wrong with the choices for a new project, by the options of the command line. */
export function checkChoices({ delivery, secrets, repository, recipients }: Choices): Problem[] {
  const problems: Problem[] = [];
  if (delivery === 'apply' && repository !== undefined) {
    problems.push({
      path: '--repository',
      message: 'cannot be set with --delivery apply: nothing reads it',
      fix: 'set --delivery flux, argocd or fleet, or leave it out',
    });
  } else if (delivery !== 'apply' && repository === undefined) {
    problems.push({
      path: '--repository',
      message: `must be set with --delivery ${delivery}`,
      fix: 'set the URL that the engine clones, e.g. https://git.example.com/platform.git',
    });
  } else if (repository !== undefined) {
    problems.push(...checkRepository(repository, delivery));
  }

  if (secrets === 'sops' && (delivery === 'argocd' || delivery === 'fleet')) {
    problems.push({
      path: '--secrets',
      value: secrets,
      message: `must be none with --delivery ${delivery}: the engine does not decrypt SOPS`,
      fix: 'leave it out; to commit secrets, set SecretDelivery.sealedSecrets or externalSecrets in the program',
    });
  } else if (secrets === 'sops' && recipients.length === 0) {
    problems.push({
      path: '--sops-recipient',
      message: 'must be set with --secrets sops',
      fix: 'create a key with `age-keygen -o key.txt`, keep the file out of Git, and set the public key that it prints: age1…',
    });
  } else if (secrets === 'none' && recipients.length > 0) {
    problems.push({
      path: '--sops-recipient',
      message: 'cannot be set without --secrets sops',
      fix: 'set --secrets sops, or leave it out',
    });
  } else if (recipients.length > 0) {
    problems.push(...checkRecipients(recipients));
  }
  return problems;
}

function checkRepository(repository: string, delivery: Choices['delivery']): Problem[] {
  const path = '--repository';
  // the value is not shown
  if (WITH_CREDENTIALS.test(repository)) {
    return [
      {
        path,
        message: 'cannot contain credentials: it is committed',
        fix: 'set the URL without them, and give them to the engine in a Secret',
      },
    ];
  }
  const { login, path: folder } = SHORT_FORM.exec(repository)?.groups ?? {};
  if (login !== undefined && delivery === 'flux') {
    return [
      {
        path,
        value: repository,
        message: 'must begin with https:// or ssh:// for Flux',
        fix: `set ssh://${login}/${folder}`,
      },
    ];
  }
  if (login !== undefined || URL_FORM.test(repository)) {
    return [];
  }
  return [
    {
      path,
      value: repository,
      message: 'must be the URL of a Git repository',
      fix: 'set e.g. https://git.example.com/platform.git',
    },
  ];
}

function checkRecipients(recipients: readonly string[]): Problem[] {
  const wrong = problemOfRecipients(recipients);
  if (wrong) {
    return [{ path: '--sops-recipient', ...wrong }];
  }
  // the comment of an SSH key is free text
  return recipients
    .filter((recipient) => /['"\\]/.test(recipient))
    .map((value) => ({
      path: '--sops-recipient',
      value,
      message: 'cannot contain quotes',
      fix: 'leave out the comment of the key',
    }));
}
