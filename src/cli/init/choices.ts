import { Problem } from '../../core/problem/problem';
import { problemOfPluginName } from '../../delivery/engine/argo-cd-decryption';
import { problemOfRecipients } from '../../delivery/secret/sops-hiding';

/** Languages of programs that `init` writes. */
export const LANGUAGES = ['typescript', 'python'] as const;
/** What applies the output. */
export const DELIVERIES = ['apply', 'flux', 'argocd', 'fleet'] as const;
/** Systems that run pipelines. */
export const CI_SYSTEMS = ['github', 'gitlab', 'none'] as const;
/** How the output keeps secrets. */
export type SecretWay = 'none' | 'sops';

/** What the user chose for a new project. */
export interface Choices {
  readonly language: (typeof LANGUAGES)[number];
  readonly delivery: (typeof DELIVERIES)[number];
  readonly ci: (typeof CI_SYSTEMS)[number];
  readonly secrets: SecretWay;
  /** URL of the Git repository, for an engine. */
  readonly repository?: string;
  /** Public keys for sops. */
  readonly recipients: readonly string[];
  /** The plugin of Argo CD that decrypts. */
  readonly argocdPlugin?: string;
  /** Whether KSOPS decrypts for Argo CD. */
  readonly argocdKsops?: true;
}

/** A URL that engines take; without what would end a string of a program or of YAML. */
const URL_FORM = /^(?:https?|ssh):\/\/[\w.@:/~+%-]+$/;
/** The short form of ssh, which Flux does not take. */
const SHORT_FORM = /^(?<login>[\w.-]+@[\w.-]+):(?<path>[\w./~+%-]+)$/;
const WITH_CREDENTIALS = /^\w+:\/\/[^/@]*:[^/@]*@|^https?:\/\/[^/@]*@/;

/** What is wrong with the choices for a new project, by the options of the command line. */
export function checkChoices(choices: Choices): Problem[] {
  return [...checkEngine(choices), ...checkSecrets(choices), ...checkDecryption(choices)];
}

function checkEngine({ delivery, repository }: Choices): Problem[] {
  if (delivery === 'apply') {
    if (repository === undefined) {
      return [];
    }
    return [
      {
        path: '--repository',
        message: 'cannot be set with --delivery apply: nothing reads it',
        fix: 'set --delivery flux, argocd or fleet, or leave it out',
      },
    ];
  }
  return repository === undefined
    ? [
        {
          path: '--repository',
          message: `must be set with --delivery ${delivery}`,
          fix: 'set the URL that the engine clones, e.g. https://git.example.com/platform.git',
        },
      ]
    : checkRepository(repository, delivery);
}

function checkSecrets(choices: Choices): Problem[] {
  const { delivery, secrets, recipients } = choices;
  if (secrets === 'none') {
    return [];
  }
  if (delivery === 'fleet' || (delivery === 'argocd' && !decrypts(choices))) {
    return [
      {
        path: '--sops-recipient',
        message: `cannot be set with --delivery ${delivery}: the engine does not decrypt SOPS`,
        fix:
          (delivery === 'argocd'
            ? 'set --argocd-plugin or --argocd-ksops if it is installed with Argo CD; or '
            : '') +
          'leave it out; to commit secrets, set SecretDelivery.sealedSecrets or externalSecrets in the program',
      },
    ];
  }
  return checkRecipients(recipients);
}

/** Whether a tool that is installed with Argo CD decrypts. */
function decrypts({ argocdPlugin, argocdKsops }: Choices): boolean {
  return argocdPlugin !== undefined || argocdKsops === true;
}

function checkDecryption(choices: Choices): Problem[] {
  const { delivery, secrets, argocdPlugin } = choices;
  if (decrypts(choices) && (delivery !== 'argocd' || secrets !== 'sops')) {
    return [
      {
        path: argocdPlugin === undefined ? '--argocd-ksops' : '--argocd-plugin',
        message: 'cannot be set without --delivery argocd and --sops-recipient',
        fix: 'set both, or leave it out',
      },
    ];
  }
  return problemsOfPlugin(argocdPlugin);
}

function problemsOfPlugin(name: string | undefined): Problem[] {
  const problem = name === undefined ? undefined : problemOfPluginName(name);
  return problem === undefined ? [] : [{ path: '--argocd-plugin', value: name, ...problem }];
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
