# One image for every process; the command says which: apps/<name>/dist/main.js, migrations/dist/run.js or apps/api/dist/cli.js.
#   docker build -t tributary .
#   docker run --env-file .env tributary apps/ingest/dist/main.js
FROM node:20-bookworm-slim AS build
WORKDIR /app
COPY . .
# Scripts of dependencies are not needed.
RUN npm ci --ignore-scripts && npx tsc -b
# Nor is the embedded PostgreSQL, which is for one machine without containers.
RUN npm prune --omit=dev --omit=optional --ignore-scripts \
  && find apps packages migrations -path '*/node_modules' -prune -o \( -name '*.ts' ! -name '*.d.ts' -o -name '.tsbuildinfo' \) -type f -exec rm {} +

FROM node:20-bookworm-slim
ENV NODE_ENV=production HOST=0.0.0.0
WORKDIR /app
COPY --from=build --chown=root:root /app/package.json ./
COPY --from=build --chown=root:root /app/node_modules node_modules
COPY --from=build --chown=root:root /app/apps apps
COPY --from=build --chown=root:root /app/packages packages
COPY --from=build --chown=root:root /app/migrations migrations
USER node
# Node is process 1: it gets SIGTERM itself, finishes what is under way, and ends.
ENTRYPOINT ["node"]
CMD ["apps/api/dist/main.js"]
