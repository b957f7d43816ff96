import { Command } from 'commander';

/** What replaces an option. */
interface PreviousOption {
  /** The commands that had it. @default - all */
  readonly commands?: readonly string[];
  readonly now: string;
}

/**
 * Options by their previous spelling: no command takes them, and each is answered with the one that
 * does the same.
 */
const PREVIOUS_OPTIONS: { readonly [option: string]: readonly PreviousOption[] } = {
  '--out': [
    { commands: ['plan'], now: '--write-plan' },
    { commands: ['resolve'], now: '--write-values' },
    { commands: ['rbac', 'deliver'], now: '--output-dir' },
    { commands: ['adopt'], now: '--output-dir for a project, and --write-diff with --update' },
    { now: '--output-file' },
  ],
  '--target': [
    { commands: ['lint', 'addresses', 'fits'], now: '--target-kind' },
    { commands: ['deliver'], now: '--from <target>:<kind>@<version>=<folder>' },
  ],
  '--engine': [{ now: '--delivery' }],
  '--secrets': [{ commands: ['init'], now: '--sops-recipient alone' }],
  '--dist': [{ commands: ['apply'], now: 'the output folder as argument, and --plan for a plan' }],
  '--adopt': [
    { commands: ['rbac'], now: '--for-adopt' },
    { commands: ['plan', 'apply'], now: '--accept-existing' },
  ],
  '--adopt-from': [{ now: '--take-fields-from' }],
  '--keep-machines': [{ now: '--fail-on-machine-loss' }],
  '--allow-empty': [{ now: '--accept-empty' }],
  '--allow-version-skew': [{ now: '--accept-version-skew' }],
  '--delete-anyway': [{ now: '--accept-in-use' }],
  '--plain-secrets': [{ now: '--accept-plain-secrets' }],
  '--again': [{ commands: ['register'], now: '--accept-connected' }],
  '--force': [{ commands: ['unlock'], now: '--yes' }],
  // no command had it: other tools call it so
  '--no-color': [{ now: '--color never' }],
};

/** The previous spellings among the arguments of a command, each with what to use. */
function previousOptions(command: Command, argv: readonly string[]): string[] {
  const known = new Set(command.options.map(({ long }) => long));
  const given = [...new Set(argv.map((argument) => argument.split('=', 1)[0]))];
  return given.flatMap((option) => {
    const rows = Object.hasOwn(PREVIOUS_OPTIONS, option) ? PREVIOUS_OPTIONS[option] : [];
    const row = rows.find(({ commands }) => commands?.includes(command.name()) ?? true);
    return row === undefined || known.has(option)
      ? []
      : [`${option}: has another name. Fix: use ${row.now}`];
  });
}

/** Throws for options by their previous spelling: commander would suggest another that looks alike. */
export function refusePreviousOptions(command: Command, argv: readonly string[]): void {
  const previous = previousOptions(command, argv);
  if (previous.length > 0) {
    throw new Error(previous.join('\n'));
  }
}

/** Lets a command refuse an option with one value that is given twice: the first would be lost. */
export function refuseSecondValues(command: Command): void {
  for (const option of command.options) {
    const isList = Array.isArray(option.defaultValue) && option.defaultValue.length === 0;
    if (!(option.required || option.optional) || isList) {
      continue;
    }
    const values: string[] = [];
    command.on(`option:${option.name()}`, (value: string) => {
      values.push(value);
      if (values.length > 1) {
        throw new Error(`${option.long}: must be set once, got ${values.join(' and ')}`);
      }
    });
  }
}
