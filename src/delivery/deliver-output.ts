import { Delivery } from './delivery';
import { SecretDelivery } from './secret/secret-delivery';
import { lostLateFiles } from '../core/leaving/left-output';
import { AssemblyStage } from '../core/output/assembly';
import { lateOutput } from '../core/output/late-files.rules';
import { writeOutput } from '../core/output/output';
import { readRegularText } from '../core/output/regular-file';
import { ReadOutput } from '../core/program/delivery-step';
import { Finding } from '../core/rule/finding';
import { isCounted, textReport } from '../core/rule/report';
import { deliveredFiles } from '../core/synthesis/assembly-writer';

/** Options of `deliver`. */
export interface DeliverOptions {
  /** The engine, e.g. `Delivery.flux({ sourceName: 'platform' })`. */
  readonly delivery: Delivery;
  /** Folder for the output; files of others in it are left alone. */
  readonly outputDir: string;
  /** What encrypts the secrets. @default - they are in plain text */
  readonly secrets?: SecretDelivery;
  /** The same for single clusters, by name. @default - all are as `secrets` */
  readonly targetSecrets?: { readonly [target: string]: SecretDelivery };
  /** Whether Fleet may keep secrets in plain text. @default false */
  readonly acceptPlainSecrets?: boolean;
}

/** What `deliver` wrote. */
export interface DeliverResult {
  /** The stages of all targets, in order within each target. */
  readonly stages: readonly AssemblyStage[];
  /** The warnings of the program and of the delivery. */
  readonly findings: readonly Finding[];
  /** What to know about the encryption, e.g. where the private key belongs. */
  readonly notes: readonly string[];
}

/** Writes an output in stages for an engine. Nothing is written if there are errors. */
export function deliverOutput(
  { output: plain, files }: ReadOutput,
  options: DeliverOptions,
): DeliverResult {
  const { delivery, outputDir, secrets, targetSecrets = {}, acceptPlainSecrets } = options;
  const names = plain.assembly.targets.map(({ name }) => name);
  const unknown = Object.keys(targetSecrets).filter((name) => !names.includes(name));
  if (unknown.length > 0) {
    throw new Error(
      `targetSecrets: must name clusters of the output: ${names.join(', ')}, got ${unknown.join(', ')}. Fix: correct the name`,
    );
  }
  const choices = plain.assembly.objects.flatMap(({ id, target }) =>
    targetSecrets[target] ? [[id, targetSecrets[target]] as const] : [],
  );
  const hidden = (secrets ?? choices[0]?.[1])?._hide(
    { ...plain, choices: new Map(choices) },
    secrets,
  );
  if (!hidden || !secrets) {
    refuseEncrypted(files);
  }
  const output = hidden?.output ?? plain;
  const prepared = delivery._deliver({
    ...output,
    acceptsPlain: (id) => acceptPlainSecrets === true || output.acceptsPlain?.(id) === true,
  });
  if (!prepared) {
    throw new Error(
      'delivery: must be an engine, got none. Fix: use Delivery.flux, Delivery.argoCd or Delivery.fleet',
    );
  }
  const findings = [
    ...prepared.assembly.findings,
    ...lostLateFiles(outputDir, prepared.assembly),
  ].filter(isCounted);
  if (findings.some(({ level }) => level === 'error')) {
    throw new Error(`nothing was written\n${textReport(findings)}`);
  }
  const { delivered, notes } = hidden?.finish(prepared, outputDir) ?? {
    delivered: prepared,
    notes: [],
  };
  const late = lateOutput(outputDir, () => delivered.assembly);
  writeOutput(outputDir, deliveredFiles(delivered), late.late);
  return {
    stages: delivered.assembly.stages ?? [],
    findings: [...findings, ...late.findings],
    notes,
  };
}

/** Throws if a file is encrypted: what is decrypted here would be written in plain text. */
function refuseEncrypted(files: readonly string[]): void {
  const encrypted = [...new Set(files)].find((file) =>
    /\bENC\[AES256_GCM,/.test(readRegularText(file)),
  );
  if (encrypted !== undefined) {
    throw new Error(
      `${encrypted}: is encrypted by SOPS, and its secrets would be written in plain text. Fix: add --sops-recipient <public key>`,
    );
  }
}
