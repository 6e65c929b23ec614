# Whetstone with its embedded PostgreSQL: docker build -t whetstone . && docker run -p 3000:3000 -v whetstone:/data whetstone
FROM node:24-bookworm-slim AS build
WORKDIR /build
COPY . .
RUN npm ci && npm run package

FROM node:24-bookworm-slim
RUN --mount=type=bind,from=build,source=/build/package,target=/package npm install --global /package/whetstone-*.tgz
RUN mkdir /data && chown node:node /data
# A user without rights: it can write to /data only.
USER node
ENV DATA_DIR=/data HOST=0.0.0.0 PORT=3000
VOLUME /data
EXPOSE 3000 4317
HEALTHCHECK --start-period=60s CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then((reply) => process.exit(reply.ok ? 0 : 1))"]
CMD ["whetstone"]
