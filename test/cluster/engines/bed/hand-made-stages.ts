import { mkdirSync, writeFileSync } from 'fs';
import { join } from 'path';
import { Manifest } from '../../../../src/core/manifest/manifest';

/** Splits the objects of a Rancher into stages as a person would: Clusters and what needs nothing, Projects and inheriting roles, bindings. */
export function handMadeStages(manifests: readonly Manifest[]): Manifest[][] {
  const roles = new Map(manifests.filter(({ kind }) => kind === 'RoleTemplate').map((role) => [role.metadata.name, role]));
  const levelOf = (role: Manifest): number => {
    const bases = (role.roleTemplateNames as string[] | undefined ?? []).flatMap((name) => roles.get(name) ?? []);
    return bases.length === 0 ? 0 : 1 + Math.max(...bases.map(levelOf));
  };
  const levels = Math.max(1, ...[...roles.values()].map(levelOf));
  const stageOf = (manifest: Manifest): number => {
    if (manifest.kind === 'RoleTemplate') { return levelOf(manifest); }
    if (manifest.kind === 'Project') { return 1; }
    return manifest.kind.endsWith('Binding') ? levels + 1 : 0;
  };
  const stages: Manifest[][] = Array.from({ length: levels + 2 }, () => []);
  manifests.forEach((manifest) => stages[stageOf(manifest)].push(manifest));
  return stages.filter((stage) => stage.length > 0);
}

/** Writes each stage into a folder of its own, `stage-0` and so on, a file for each object; returns the names of the folders. */
export function writeStages(folder: string, stages: readonly (readonly Manifest[])[]): string[] {
  return stages.map((stage, index) => {
    const name = `stage-${index}`;
    mkdirSync(join(folder, name), { recursive: true });
    // JSON is YAML
    stage.forEach((manifest, number) => writeFileSync(join(folder, name, `${number}.yaml`), JSON.stringify(manifest)));
    return name;
  });
}
