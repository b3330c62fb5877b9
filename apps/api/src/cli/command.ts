/** One command of `tributary`. */
export interface Command {
  readonly name: string;
  /** One line of the overview. */
  readonly summary: string;
  /** All of its help. */
  readonly usage: string;
  /** @param args what stands behind the name. @throws ConfigError that says which of them, or which variable of `env`, is wrong. */
  run(args: readonly string[], env: NodeJS.ProcessEnv): Promise<void>;
}
